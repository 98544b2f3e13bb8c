import assert from 'node:assert/strict';
import { it } from 'node:test';
import { matchesWildcard } from '../../src/platform/wildcard.ts';

const table: [string, string, boolean][] = [
  ['', '', true],
  ['', 'a', false],
  ['main', 'main', true],
  ['main', 'mains', false],
  ['*', '', true],
  ['*', 'a/b', true],
  ['**', 'ab', true],
  ['a*a', 'a', false],
  ['a*a', 'aa', true],
  ['*-stable', '1-stable-stable', true],
  ['release/*/x', 'release/1/2/x', true],
  ['release/*/x', 'release/x', false],
  ['*ab*b', 'aab', false],
  ['*ab*b', 'aabb', true],
  ['a*b*c', 'abcbc', true],
  ['a*b*c', 'acb', false],
];
for (const [pattern, name, fits] of table) {
  it(`${pattern} ${fits ? 'matches' : 'does not match'} ${name || 'an empty name'}`, () => {
    assert.equal(matchesWildcard(pattern, name), fits);
  });
}
