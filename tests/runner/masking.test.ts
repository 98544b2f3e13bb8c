import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { expand } from '../../src/runner/expand.ts';
import { Masking } from '../../src/runner/masking.ts';

function shown(hidden: string[], ...pieces: string[]): string {
  const masking = new Masking(hidden);
  const parts = pieces.map((piece) => masking.take(Buffer.from(piece)));
  return Buffer.concat([...parts, masking.end()]).toString();
}

describe('masking', () => {
  for (const [hidden, pieces, expected] of [
    [['secret'], ['a secret b'], 'a [MASKED] b'],
    [['secret'], ['a sec', 'ret b'], 'a [MASKED] b'],
    [['secret'], ['s', 'e', 'c', 'r', 'e', 't'], '[MASKED]'],
    [['secret'], ['a sec', 'tor'], 'a sector'],
    [['secret'], ['secretsecret'], '[MASKED][MASKED]'],
    [['secret', 'secretive'], ['secretive'], '[MASKED]'],
    [['aab'], ['aaab'], 'a[MASKED]'],
    [['aab'], ['a', 'a', 'a', 'b'], 'a[MASKED]'],
    [['geheim-ü'], ['das geheim-', 'ü da'], 'das [MASKED] da'],
    [['', 'x1y'], ['plain x1'], 'plain x1'],
    [[], ['anything'], 'anything'],
  ] as const) {
    it(`${JSON.stringify(pieces)} masking ${JSON.stringify(hidden)}`, () => {
      assert.equal(shown([...hidden], ...pieces), expected);
    });
  }

  it('passes on chunks immediately that cannot contain a secret', () => {
    const masking = new Masking(['secret']);
    assert.equal(masking.take(Buffer.from('live log\n')).toString(), 'live log\n');
  });
});

describe('variable expansion', () => {
  it('supports both notations and removes unknown variables', () => {
    const values = new Map([['A', '1']]);
    assert.equal(expand(['$A-$', '{A}-$B-x'].join(''), values), '1-1--x');
  });
});
