import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { coverageIn } from '../../../src/ci/coverage/read.ts';

async function* inPieces(text: string, size: number) {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe('coverage parser', () => {
  const cases: readonly (readonly [string, string, string, number | null])[] = [
    [
      'the number in the last matching line',
      'Coverage: 12%\nmore\nCoverage: 80.5%\nend\n',
      String.raw`Coverage: \d+(?:\.\d+)?%`,
      80.5,
    ],
    ['the number in the last match of a line', 'a 1% b 2%', String.raw`\d+%`, 2],
    ['the number in the capture group', 'Lines: 10 of 97.3', String.raw`Lines: \d+ of (\d+\.\d+)`, 97.3],
    [
      'the number without ANSI colours',
      '\u001b[32mCoverage:\u001b[0m \u001b[1m91%\u001b[0m\r\n',
      String.raw`Coverage: \d+%`,
      91,
    ],
    ['the number without log timestamps', '2026-01-01T00:00:00.000000Z 00O Total 55\n', String.raw`^Total \d+`, 55],
    ['the last match that contains a number', 'cov 7\ncov none\n', String.raw`cov \w+`, 7],
    ['nothing without a match', 'no numbers', String.raw`\d+%`, null],
    ['nothing for an invalid expression', '1%', '(', null],
  ];
  for (const [name, log, pattern, expected] of cases) {
    it(`returns ${name}`, async () => {
      for (const size of [1, 7, 10_000]) assert.equal(await coverageIn(inPieces(log, size), pattern), expected);
    });
  }

  it('does not buffer a long line', async () => {
    const long = `${'x'.repeat(1_000_000)} total 33%\n`;
    assert.equal(await coverageIn(inPieces(long, 65_536), String.raw`total \d+%`), 33);
  });
});
