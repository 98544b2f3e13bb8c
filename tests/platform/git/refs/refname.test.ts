import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import {
  isBranchName,
  isObjectId,
  isRefName,
  isTagName,
  looksLikeObjectId,
} from '../../../../src/platform/git/refs/refname.ts';
import fc from '../../../support/properties.ts';

const acceptedByGit = (ref: string) => spawnSync('git', ['check-ref-format', ref]).status === 0;

describe('isRefName', () => {
  const names = [
    ...[
      'refs/heads/main',
      'refs/heads/a/b',
      'refs/heads/ä',
      'refs/heads/日本',
      'heads/x',
      'refs/heads/-x',
      'refs/heads/@',
    ],
    ...[
      'refs/heads/a@b',
      'refs/heads/{x}',
      'refs/heads/a.lockx',
      "refs/heads/it's",
      'refs/heads/a,b',
      'refs/heads/HEAD',
    ],
    ...['', 'main', '@', '/', 'refs/heads/', '/refs/heads/x', 'refs//heads/x', 'refs/heads/.x', 'refs/heads/a/.b'],
    ...[
      'refs/heads/x.lock',
      'refs/heads/x.lock/y',
      'refs/heads/a..b',
      'refs/heads/a.',
      'refs/heads/a.b.',
      'refs/heads/a b',
    ],
    ...['refs/heads/a~b', 'refs/heads/a^b', 'refs/heads/a:b', 'refs/heads/a?b', 'refs/heads/a*b', 'refs/heads/a[b'],
    ...[
      'refs/heads/a\\b',
      'refs/heads/a\tb',
      'refs/heads/a\nb',
      'refs/heads/a\x7fb',
      'refs/heads/a@{b',
      'refs/heads/a/',
    ],
  ];
  for (const name of names) {
    it(`${JSON.stringify(name)} is accepted or rejected as by git check-ref-format`, () =>
      assert.equal(isRefName(name), acceptedByGit(name)));
  }

  it('agrees with git check-ref-format on random names', () => {
    const char = fc.constantFrom(...'aab//..@{}~^:?*[\\ -\t\x01\x7f', '.lock', '@{', 'é', '..', '/.');
    fc.assert(
      fc.property(fc.array(char, { maxLength: 8 }), (chars) => {
        const name = `refs/${chars.join('')}`;
        assert.equal(isRefName(name), acceptedByGit(name), JSON.stringify(name));
      }),
      { numRuns: 200, seed: 11 },
    );
  });

  it('limits the length, because a ref is also a file name', () => {
    assert.equal(isRefName(`refs/heads/${'a'.repeat(250)}`), true);
    assert.equal(isRefName(`refs/heads/${'a'.repeat(251)}`), false);
    assert.equal(isRefName(`refs/heads/${'a/'.repeat(600)}a`), false);
    assert.equal(isRefName('refs/heads/a\0b'), false);
  });
});

describe('short names', () => {
  for (const [name, branch, tag] of [
    ['main', true, true],
    ['refs/tags/x', true, true],
    ['HEAD', false, false],
    ['-x', false, false],
    ['refs/heads/x', false, false],
    ['refs/remotes/x', false, false],
    ['', false, false],
    ['a b', false, false],
    ['a'.repeat(40), true, true],
  ] as const) {
    it(`${JSON.stringify(name)} is valid for a branch: ${branch}`, () => {
      assert.deepEqual([isBranchName(name), isTagName(name)], [branch, tag]);
    });
  }

  it('may look like an object id', () => {
    assert.deepEqual(['a'.repeat(40), `${'A'.repeat(40)}-x`, 'a'.repeat(39), 'g'.repeat(40)].map(looksLikeObjectId), [
      true,
      true,
      false,
      false,
    ]);
    assert.deepEqual(['a'.repeat(40), 'A'.repeat(40), 'a'.repeat(41), 'a'.repeat(39)].map(isObjectId), [
      true,
      false,
      false,
      false,
    ]);
  });
});
