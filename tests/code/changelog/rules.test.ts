import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ChangelogError, parseConfig } from '../../../src/code/changelog/config.ts';
import { History, shortTitle } from '../../../src/code/changelog/history.ts';
import { hasSection, insertSection } from '../../../src/code/changelog/section.ts';
import {
  compareSemantic,
  defaultTagRegex,
  holdsVersion,
  previousTag,
  TagRegexError,
  versionNumbers,
} from '../../../src/code/changelog/version.ts';
import type { Commit } from '../../../src/platform/git/objects/commit.ts';

describe('previousTag', () => {
  const tags = ['v1.0.0', '1.9.0', 'v1.10.0', 'v2.0.0-rc1', 'v2.0.0', 'nightly', 'v1.10.0.1', 'release-3.0.0'];
  const cases: [version: string, found: string | undefined][] = [
    ['2.0.0', 'v1.10.0'],
    ['v2.0.1', 'v2.0.0'],
    ['2.0.0-rc2', 'v1.10.0'],
    ['1.9.5', '1.9.0'],
    ['1.0.0', undefined],
    ['9.9.9', 'v2.0.0'],
  ];
  for (const [version, found] of cases) {
    it(`returns ${found} for ${version}`, () => {
      assert.equal(previousTag(tags, versionNumbers(version) ?? [0, 0, 0], defaultTagRegex), found);
    });
  }

  it('supports a custom tag expression', () => {
    const regex = '^release-(?P<major>\\d+)\\.(?P<minor>\\d+)\\.(?P<patch>\\d+)$';
    assert.equal(previousTag(tags, [4, 0, 0], regex), 'release-3.0.0');
    assert.throws(() => previousTag(tags, [4, 0, 0], '('), TagRegexError);
    assert.throws(() => previousTag(tags, [4, 0, 0], '(?P<major>1)'), /missing group: minor, patch/);
  });

  it('matches in linear time', () => {
    const regex = '^(?P<major>(?:\\d+)+)\\.(?P<minor>\\d+)\\.(?P<patch>\\d+)$';
    assert.equal(previousTag(['1'.repeat(5000)], [4, 0, 0], regex), undefined);
  });
});

describe('semantic versions', () => {
  it('are sorted', () => {
    const ordered = [
      '1.0.0-alpha',
      '1.0.0-alpha.1',
      '1.0.0-alpha.beta',
      '1.0.0-beta.2',
      '1.0.0-beta.11',
      '1.0.0-rc.1',
      '1.0.0',
      '1.2.0',
      '1.10.0',
    ];
    assert.deepEqual(ordered.toReversed().sort(compareSemantic), ordered);
  });

  it('are found inside a text', () => {
    assert.deepEqual(['1.0.0', 'v1.0.0', 'x-1.0.0-y', '1.0', 'one', ''].map(holdsVersion), [
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});

describe('changelog history', () => {
  const id = (digit: string) => digit.repeat(40);
  const commit = (oid: string, message: string) => ({ oid, message }) as Commit;
  const listed = (...commits: Commit[]) => {
    const history = new History('Changelog');
    for (const each of commits) history.add(each);
    return history.listed.map(({ commit: { oid }, category }) => [oid.slice(0, 1), category]);
  };

  it('lists commits with the trailer', () => {
    assert.deepEqual(
      listed(
        commit(id('a'), 'a\n\nChangelog: Added\nEE: true'),
        commit(id('b'), 'b\n\nchangelog: fixed'),
        commit(id('c'), 'Changelog: title'),
        commit(id('d'), 'd\n\nChangelog:'),
      ),
      [['a', 'Added']],
    );
  });

  it('omits reverted commits', () => {
    const original = commit(id('a'), 'a\n\nChangelog: added');
    const revert = commit(id('b'), `Revert "a"\n\nThis reverts commit ${id('a')}\n\nChangelog: removed`);
    const again = commit(id('c'), `Revert "Revert"\n\nTHIS REVERTS COMMIT ${id('b').toUpperCase()}.`);
    assert.deepEqual(listed(revert, original), [['b', 'removed']]);
    assert.deepEqual(listed(again, revert, original), [['a', 'added']]);
  });

  it('truncates long titles at a word boundary', () => {
    const words = (count: number) => Array.from({ length: count }, () => 'word').join(' ');
    assert.equal(shortTitle(`${words(19)}\n\nbody`), words(19));
    assert.equal(shortTitle(words(30)), `${words(15)}...`);
    assert.equal(shortTitle('x'.repeat(120)), `${'x'.repeat(78)}...`);
    assert.equal(shortTitle('\n'), 'No commit message');
  });
});

describe('insertSection', () => {
  const section = '## 1.1.0 (today)\n\nnew\n\n';
  it('starts an empty file', () => {
    assert.equal(insertSection('', '1.1.0', section), '## 1.1.0 (today)\n\nnew\n');
  });
  it('inserts before the next lower version', () => {
    const file = '# Log\n\n## 2.0.0 (x)\n\ntwo\n\n## 1.0.0 (y)\n\none\n\n## v0.9.0\n';
    assert.equal(
      insertSection(file, '1.1.0', section),
      '# Log\n\n## 2.0.0 (x)\n\ntwo\n\n## 1.1.0 (today)\n\nnew\n\n## 1.0.0 (y)\n\none\n\n## v0.9.0\n',
    );
  });
  it('appends if no version is lower', () => {
    assert.equal(insertSection('## 2.0.0\n\ntwo\n', '1.1.0', section), `## 2.0.0\n\ntwo\n\n${section.trimEnd()}\n`);
    assert.equal(insertSection('text', '1.1.0', section), `text\n\n${section.trimEnd()}\n`);
  });
  it('detects an existing section', () => {
    assert.equal(hasSection('## 1.1.0 (x)\n', '1.1.0'), true);
    assert.equal(hasSection('## v1.1.0', '1.1.0'), true);
    assert.equal(hasSection('## 1.1.0-rc1\n### 1.1.0\ntext 1.1.0', '1.1.0'), false);
  });
});

describe('changelog configuration', () => {
  const problem = (text: string) => {
    try {
      parseConfig(text, 'c.yml');
      return undefined;
    } catch (error) {
      assert.ok(error instanceof ChangelogError);
      return error.message;
    }
  };

  it('has defaults', () => {
    const config = parseConfig('', 'c.yml');
    assert.equal(config.dateFormat, '%Y-%m-%d');
    assert.equal(config.tagRegex, defaultTagRegex);
    assert.equal(config.categories.size, 0);
  });

  it('reports errors', () => {
    assert.equal(problem('a: ['), 'c.yml does not contain valid YAML');
    assert.equal(problem('- a'), 'c.yml does not contain valid YAML');
    assert.equal(problem('categories: [a]'), 'The "categories" configuration key must be a Hash');
    assert.match(problem('template: "{% if x %}"') ?? '', /^Failed to parse the template: missing end at line 1$/);
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghi'
      .split('')
      .map((name, i) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[i]}`).join(',')}]`)
      .join('\n')}`;
    assert.equal(problem(bomb), 'c.yml does not contain valid YAML');
  });
});
