import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lineOfPosition, placesOf } from '../../src/web/review/positions.ts';

const refs = { base_sha: 'first', start_sha: 'first', head_sha: 'second' };
const file = { old_path: 'was.js', new_path: 'now.js' };
const lines = {
  added: { kind: 'add', new: 5, text: '' },
  removed: { kind: 'del', old: 4, text: '' },
  kept: { kind: 'same', old: 7, new: 8, text: '' },
} as const;

describe('diff positions of comments', () => {
  const cases: readonly [string, object, boolean, string | undefined][] = [
    ['on the same version', { head_sha: 'second', new_path: 'now.js', new_line: 5 }, false, 'added'],
    [
      'on the same version, unchanged line',
      { head_sha: 'second', new_path: 'now.js', old_line: 7, new_line: 8 },
      false,
      'kept',
    ],
    ['on the same version, removed line', { head_sha: 'second', new_path: 'now.js', old_line: 4 }, false, 'removed'],
    ['on another version', { head_sha: 'first', new_path: 'now.js', new_line: 5 }, false, undefined],
    [
      'between the two versions',
      { base_sha: 'first', head_sha: 'second', new_path: 'now.js', old_line: 4 },
      true,
      'removed',
    ],
    ['on the later version', { base_sha: 'main', head_sha: 'second', new_path: 'now.js', new_line: 5 }, true, 'added'],
    [
      'on the later version, with another old line number',
      { base_sha: 'main', head_sha: 'second', new_path: 'now.js', old_line: 1, new_line: 8 },
      true,
      'kept',
    ],
    [
      'on the earlier version',
      { base_sha: 'main', head_sha: 'first', new_path: 'was.js', new_line: 4 },
      true,
      'removed',
    ],
    [
      'on the earlier version, removed since',
      { base_sha: 'main', head_sha: 'second', new_path: 'now.js', old_line: 4 },
      true,
      undefined,
    ],
    ['on a third version', { base_sha: 'main', head_sha: 'third', new_path: 'now.js', new_line: 5 }, true, undefined],
    ['on another file', { base_sha: 'main', head_sha: 'second', new_path: 'was.js', new_line: 5 }, true, undefined],
    ['on a file', { base_sha: 'main', head_sha: 'second', new_path: 'now.js' }, true, undefined],
  ];
  for (const [name, position, isBetween, line] of cases)
    it(name, () => {
      const place = lineOfPosition(position, refs, isBetween);
      const at = Object.entries(lines).filter(([, one]) => place !== undefined && placesOf(file, one).includes(place));
      assert.deepEqual(
        at.map(([key]) => key),
        line === undefined ? [] : [line],
      );
    });
});
