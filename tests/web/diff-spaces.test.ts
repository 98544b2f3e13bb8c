import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lineCodes, readDiff, sideBySide, withContext } from '../../src/web/code/diff-lines.ts';
import { withoutSpaces } from '../../src/web/code/diff-spaces.ts';

/** Formats each line as kind, numbers and text. */
const told = (diff: string) =>
  withoutSpaces(readDiff(diff)).map(({ kind, old, new: now, text }) =>
    kind === 'hunk' ? '@' : `${kind} ${old ?? ''}:${now ?? ''} ${text.trim()}`,
  );

describe('diff without whitespace changes', () => {
  const cases: readonly [string, string, readonly string[]][] = [
    ['whitespace changes only', '@@ -1,2 +1,2 @@\n-a\n+  a\n b\n', []],
    ['an empty diff', '', []],
    [
      'one of several lines',
      '@@ -1,3 +1,4 @@\n-a\n-b\n+if (x) {\n+  a\n+  c\n }\n',
      ['@', 'add :1 if (x) {', 'spaces 1:2 a', 'del 2: b', 'add :3 c', 'same 3:4 }'],
    ],
    ['tabs and line endings', '@@ -1,2 +1,2 @@\n-\ta \n-b\n+a\r\n+c\n', ['@', 'spaces 1:1 a', 'del 2: b', 'add :2 c']],
    [
      'one of two hunks',
      '@@ -1 +1 @@\n-a\n+ a\n@@ -9,2 +9,2 @@\n-b\n+c\n d\n',
      ['@', 'del 9: b', 'add :9 c', 'same 10:10 d'],
    ],
    ['joined words', '@@ -1 +1 @@\n-a b\n+ab\n', []],
    ['a final newline', '@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n', []],
    [
      'a final newline and a word',
      '@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n',
      ['@', 'del 1: a', 'add :1 b', 'note : \\ No newline at end of file'],
    ],
    ['added lines', '@@ -0,0 +1,2 @@\n+a\n+\n', ['@', 'add :1 a', 'add :2']],
    ['moved lines', '@@ -1,2 +1,2 @@\n-a\n-b\n+ b\n+ a\n', ['@', 'del 1: a', 'spaces 2:1 b', 'add :2 a']],
  ];
  for (const [name, diff, expected] of cases)
    it(name, () =>
      assert.deepEqual(
        told(diff).map((line) => line.trimEnd()),
        expected,
      ),
    );

  it('compares only the ends of very long changes', () => {
    const many = (sign: string, spaces: string) =>
      Array.from({ length: 2_000 }, (_, at) => `${sign}${at === 1_000 ? `${sign}x` : `${spaces}${at}`}`).join('\n');
    const lines = withoutSpaces(readDiff(`@@ -1,2000 +1,2000 @@\n${many('-', '')}\n${many('+', '  ')}\n`));
    assert.deepEqual(
      lines.filter(({ kind }) => kind !== 'spaces' && kind !== 'hunk').map(({ text }) => text),
      ['-x', '+x'],
    );
  });

  it('keeps line numbers and shows the lines on both sides', () => {
    const changes = withoutSpaces(readDiff('@@ -2,2 +2,2 @@\n-a\n-b\n+ a\n+c\n'));
    const lines = withContext(changes, ['first', ' a', 'c', 'last'], 100);
    assert.deepEqual(
      lines.map(({ kind, old, new: now }) => [kind, old, now]),
      [
        ['same', 1, 1],
        ['spaces', 2, 2],
        ['del', 3, undefined],
        ['add', undefined, 3],
        ['same', 4, 4],
      ],
    );
    const pair = sideBySide(lines)[1];
    assert.ok(pair && 'left' in pair && pair.left === pair.right);
    assert.equal(lineCodes('x', lines).size, 5);
  });
});
