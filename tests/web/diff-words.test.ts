import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readDiff } from '../../src/web/code/diff-lines.ts';
import { changedSpans, changedWords, markSpan } from '../../src/web/code/diff-words.ts';

/** Marks the differences of two lines with brackets. */
function marked(before: string, after: string): [string, string] | undefined {
  const found = changedSpans(before, after);
  const show = (text: string, [from, to]: readonly [number, number]) =>
    `${text.slice(0, from)}[${text.slice(from, to)}]${text.slice(to)}`;
  return found && [show(before, found.before), show(after, found.after)];
}

describe('changed words', () => {
  const cases: readonly (readonly [before: string, after: string, expected: [string, string] | undefined])[] = [
    ['const a = 1;', 'const a = 2;', ['const a = [1];', 'const a = [2];']],
    ['teas = { a: 2 };', 'teas = { a: 2, b: 4 };', ['teas = { a: 2[] };', 'teas = { a: 2[, b: 4] };']],
    // Whole words only.
    ['return heating(to);', 'return heated(to);', ['return [heating](to);', 'return [heated](to);']],
    ['f(value1, x)', 'f(value12, x)', ['f([value1], x)', 'f([value12], x)']],
    // Whole characters only.
    ['a tea: 🍵, hot', 'a tea: 🍶, hot', ['a tea: [🍵], hot', 'a tea: [🍶], hot']],
    ['  indented', '    indented', ['  []indented', '  [  ]indented']],
    // Common prefix and suffix must not overlap.
    ['aa bb', 'aa bb bb', ['aa bb[]', 'aa bb[ bb]']],
    ['the same', 'the same', undefined],
    ['nothing alike', 'other words here', undefined],
    ['', 'something', undefined],
    ['x();', '', undefined],
  ];
  for (const [before, after, expected] of cases) {
    it(`are found in ${JSON.stringify(before)} and ${JSON.stringify(after)}`, () => {
      assert.deepEqual(marked(before, after), expected);
    });
  }

  it('are found in paired lines', () => {
    const diff = '@@ -1,4 +1,4 @@\n-one = 1\n-two = 2\n+one = I\n+two = II\n+three = III\n same\n+four = IV\n';
    const lines = readDiff(diff);
    const spans = changedWords(lines);
    assert.deepEqual(
      [...spans].map(([{ text }, [from, to]]) => text.slice(from, to)),
      ['1', 'I', '2', 'II'],
    );
  });

  it('are found without a final newline', () => {
    const end = '\\ No newline at end of file';
    const spans = changedWords(readDiff(`@@ -1 +1 @@\n-one = 1\n${end}\n+one = 2\n${end}\n`));
    assert.equal(spans.size, 2);
  });
});

describe('marks in highlighted lines', () => {
  it('count entities as one character and do not overlap elements', () => {
    const line = '<span class="k">if</span> (a &lt; b &amp;&amp; <span class="s">&#x27;c&#x27;</span>)';
    assert.equal(
      markSpan(line, [6, 14]),
      '<span class="k">if</span> (a <mark>&lt; b &amp;&amp; </mark><span class="s"><mark>&#x27;</mark>c&#x27;</span>)',
    );
  });

  it('are left out if empty', () => {
    assert.equal(markSpan('abc', [1, 1]), 'abc');
    assert.equal(markSpan('<b>abc</b>', [0, 3]), '<b><mark>abc</mark></b>');
  });
});
