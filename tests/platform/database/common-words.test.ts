import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { commonWords, withoutCommonEnds } from '../../../src/platform/database/common-words.ts';

const names = Array.from({ length: 100 }, (_, i) => `person ${i} of ${i % 3 === 0 ? 'the house' : 'elsewhere'}`);

describe('the words that many texts have', () => {
  const common = commonWords(names);
  for (const word of ['person', 'of', 'house', 'elsewhere', 'perso', 'where']) {
    it(`take in ${word}`, () => assert.ok(common.has(word)));
  }
  for (const word of ['persons', '12', 'off', '12 of']) {
    it(`leave out ${word}`, () => assert.ok(!common.has(word)));
  }
  it('are none of a few texts', () => assert.ok(!commonWords(names.slice(0, 19)).has('person')));
});

describe('a term without the common words at its ends', () => {
  const common = commonWords(names);
  const cases: [term: string, part: string][] = [
    ['person 12 of', ' 12 '],
    ['Person 12 OF', ' 12 '],
    ['person 12', ' 12'],
    ['12 of', '12 '],
    ['1 of', '1 of'],
    ['person of', 'person of'],
    ['persons', 'persons'],
    ['person', 'person'],
    ['person ada of lovelace of', ' ada of lovelace '],
    ['person (12) of', '(12)'],
    ['person ä12 of', ' ä12 '],
    ['person, 12', ' 12'],
    ['🎉12🎉 of', '🎉12🎉 of'],
    ['...', '...'],
    ['', ''],
  ];
  for (const [term, part] of cases) {
    it(`is ${JSON.stringify(part)} of ${JSON.stringify(term)}`, () => {
      assert.equal(withoutCommonEnds(term, common), part);
      assert.ok(term.includes(part));
    });
  }
});
