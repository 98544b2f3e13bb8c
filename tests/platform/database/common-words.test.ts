import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { commonWords, withoutCommonEnds } from '../../../src/platform/database/common-words.ts';

const names = Array.from({ length: 100 }, (_, i) => `person ${i} of ${i % 3 === 0 ? 'the house' : 'elsewhere'}`);

describe('common words', () => {
  const common = commonWords(names);
  for (const word of ['person', 'of', 'house', 'elsewhere', 'perso', 'where']) {
    it(`include ${word}`, () => assert.ok(common.has(word)));
  }
  for (const word of ['persons', '12', 'off', '12 of']) {
    it(`exclude ${word}`, () => assert.ok(!common.has(word)));
  }
  it('are empty for few texts', () => assert.ok(!commonWords(names.slice(0, 19)).has('person')));
});

describe('trimming common words from the ends of a term', () => {
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
    it(`turns ${JSON.stringify(term)} into ${JSON.stringify(part)}`, () => {
      assert.equal(withoutCommonEnds(term, common), part);
      assert.ok(term.includes(part));
    });
  }
});
