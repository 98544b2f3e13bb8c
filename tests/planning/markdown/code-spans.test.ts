import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { codeSpans } from '../../../src/planning/markdown/code-spans.ts';

describe('code spans', () => {
  const cases: readonly (readonly [text: string, spans: readonly string[]])[] = [
    ['no code', []],
    ['a `b` c `d`', ['`b`', '`d`']],
    ['``a ` b`` `c`', ['``a ` b``', '`c`']],
    ['`a\nb`', ['`a\nb`']],
    ['` open', []],
    ['``a` `b`', ['` `']],
    ['\\`a` b`', ['` b`']],
    ['\\\\`a`', ['`a`']],
    ['\\``a`', ['`a`']],
    ['`a\\` b`', ['`a\\`']],
  ];
  for (const [text, spans] of cases) {
    it(`in ${JSON.stringify(text)} are ${JSON.stringify(spans)}`, () =>
      assert.deepEqual(
        codeSpans(text).map(([start, end]) => text.slice(start, end)),
        spans,
      ));
  }
});
