import assert from 'node:assert/strict';
import { it } from 'node:test';
import { trimCharacters, trimLeading, trimTrailing } from '../../src/platform/trim.ts';

const table: [string, string, { both: string; start: string; end: string }][] = [
  ['', '/', { both: '', start: '', end: '' }],
  ['a', '/', { both: 'a', start: 'a', end: 'a' }],
  ['///', '/', { both: '', start: '', end: '' }],
  ['/a//b//', '/', { both: 'a//b', start: 'a//b//', end: '/a//b' }],
  ['-.a.-', '.-', { both: 'a', start: 'a.-', end: '-.a' }],
];
for (const [text, characters, { both, start, end }] of table) {
  it(`trims ${characters} from ${text || 'an empty text'}`, () => {
    assert.equal(trimCharacters(text, characters), both);
    assert.equal(trimLeading(text, characters), start);
    assert.equal(trimTrailing(text, characters), end);
  });
}

// A regular expression took a quarter of an hour for this.
it('trims long runs in linear time', () => {
  const text = `a${'/'.repeat(1_000_000)}b`;
  assert.equal(trimCharacters(text, '/'), text);
});
