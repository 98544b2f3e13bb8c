import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compileUserRegex, estimatedStates } from '../../src/platform/user-regex.ts';

describe('user regular expressions', () => {
  const sizes: readonly (readonly [source: string, states: number])[] = [
    ['', 0],
    ['abc', 3],
    ['a{3}', 3],
    ['a{2,}', 2],
    ['a{0,5}b', 6],
    ['(?:ab){4}', 8],
    ['(a(bc){2}){3}', 15],
    ['(?P<name>a|b){10}', 20],
    ['(?i)ab', 2],
    ['[a-z0-9]{63}', 63],
    ['[]a]{2}[^]b]', 3],
    ['[[:alpha:]]{5}', 5],
    ['\\{5}', 3],
    ['\\pL\\p{Greek}', 22],
    ['[\\pL\\d]{10}', 110],
    ['a{1000}'.repeat(3), 3000],
  ];
  for (const [source, states] of sizes) {
    it(`${JSON.stringify(source.slice(0, 30))} is estimated at ${states} states`, () => {
      assert.equal(estimatedStates(source), states);
    });
  }

  it('are rejected if counted repeats make them large, but not for their length', () => {
    const large = [
      'a{1000}'.repeat(140),
      '(?:a{0,900}b{900}){1}c{900}',
      '\\pL'.repeat(330),
      '((((a{10}){10}){10}b{999})c{999})',
    ];
    for (const source of large) assert.throws(() => compileUserRegex(source), /too large/);
    for (const source of ['x'.repeat(1000), '^(feature|fix)/[A-Z]{2,10}-\\d{1,8}$', '.{0,255}', '\\p{Lu}{1,50}']) {
      assert.ok(compileUserRegex(source));
    }
    assert.throws(() => compileUserRegex('('), /missing closing/);
  });
});
