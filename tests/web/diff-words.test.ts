import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readDiff } from '../../src/web/code/diff-lines.ts';
import { changedSpans, changedWords, markSpan } from '../../src/web/code/diff-words.ts';

/** Two lines, each with what differs in brackets. */
function marked(before: string, after: string): [string, string] | undefined {
  const found = changedSpans(before, after);
  const show = (text: string, [from, to]: readonly [number, number]) =>
    `${text.slice(0, from)}[${text.slice(from, to)}]${text.slice(to)}`;
  return found && [show(before, found.before), show(after, found.after)];
}

describe('what differs inside a line', () => {
  const cases: readonly (readonly [before: string, after: string, expected: [string, string] | undefined])[] = [
    ['const a = 1;', 'const a = 2;', ['const a = [1];', 'const a = [2];']],
    ['teas = { a: 2 };', 'teas = { a: 2, b: 4 };', ['teas = { a: 2[] };', 'teas = { a: 2[, b: 4] };']],
    // Never half a word.
    ['return heating(to);', 'return heated(to);', ['return [heating](to);', 'return [heated](to);']],
    ['f(value1, x)', 'f(value12, x)', ['f([value1], x)', 'f([value12], x)']],
    // Never half of a character.
    ['a tea: 🍵, hot', 'a tea: 🍶, hot', ['a tea: [🍵], hot', 'a tea: [🍶], hot']],
    ['  indented', '    indented', ['  []indented', '  [  ]indented']],
    // What shares its beginning and its end only once.
    ['aa bb', 'aa bb bb', ['aa bb[]', 'aa bb[ bb]']],
    ['the same', 'the same', undefined],
    ['nothing alike', 'other words here', undefined],
    ['', 'something', undefined],
    ['x();', '', undefined],
  ];
  for (const [before, after, expected] of cases) {
    it(`of ${JSON.stringify(before)} and ${JSON.stringify(after)}`, () => {
      assert.deepEqual(marked(before, after), expected);
    });
  }

  it('is found in lines that stand for each other', () => {
    const diff = '@@ -1,4 +1,4 @@\n-one = 1\n-two = 2\n+one = I\n+two = II\n+three = III\n same\n+four = IV\n';
    const lines = readDiff(diff);
    const spans = changedWords(lines);
    assert.deepEqual(
      [...spans].map(([{ text }, [from, to]]) => text.slice(from, to)),
      ['1', 'I', '2', 'II'],
    );
  });

  it('is found where the last line has no end', () => {
    const end = '\\ No newline at end of file';
    const spans = changedWords(readDiff(`@@ -1 +1 @@\n-one = 1\n${end}\n+one = 2\n${end}\n`));
    assert.equal(spans.size, 2);
  });
});

describe('a mark in a line that is coloured', () => {
  it('counts an entity as one character, and crosses no element', () => {
    const line = '<span class="k">if</span> (a &lt; b &amp;&amp; <span class="s">&#x27;c&#x27;</span>)';
    assert.equal(
      markSpan(line, [6, 14]),
      '<span class="k">if</span> (a <mark>&lt; b &amp;&amp; </mark><span class="s"><mark>&#x27;</mark>c&#x27;</span>)',
    );
  });

  it('is left out where there is nothing to mark', () => {
    assert.equal(markSpan('abc', [1, 1]), 'abc');
    assert.equal(markSpan('<b>abc</b>', [0, 3]), '<b><mark>abc</mark></b>');
  });
});
