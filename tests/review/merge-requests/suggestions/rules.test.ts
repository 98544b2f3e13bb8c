import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { suggestionMessage } from '../../../../src/review/merge-requests/suggestions/message.ts';
import { parseSuggestions } from '../../../../src/review/merge-requests/suggestions/parse.ts';
import { linesBetween, overlap, replaceLines } from '../../../../src/review/merge-requests/suggestions/replace.ts';

describe('suggestions in a text', () => {
  const cases: [string, string, [above: number, below: number, content: string][]][] = [
    ['one line', '```suggestion:-0+0\nnew\n```', [[0, 0, 'new\n']]],
    ['without numbers', 'Try\n\n```suggestion\nnew\n```\nthis', [[0, 0, 'new\n']]],
    ['lines around', '```suggestion:-2+3\na\nb\n```', [[2, 3, 'a\nb\n']]],
    ['too many lines around', '```suggestion:-200+101\na\n```', [[100, 100, 'a\n']]],
    ['a deletion', '```suggestion:-0+0\n```', [[0, 0, '']]],
    [
      'two',
      '```suggestion\na\n```\n```suggestion\nb\n```',
      [
        [0, 0, 'a\n'],
        [0, 0, 'b\n'],
      ],
    ],
    ['with fences in it', '````suggestion\n```js\nx\n```\n````', [[0, 0, '```js\nx\n```\n']]],
    ['fenced by tildes', '~~~suggestion\na\n~~~', [[0, 0, 'a\n']]],
    ['with CRLF line endings', '```suggestion\r\na\r\n```\r\n', [[0, 0, 'a\n']]],
    ['code in another language', '```ts\nsuggestion\n```', []],
    ['inside code', '````md\n```suggestion\na\n```\n````', []],
    ['indented code', '    ```suggestion\n    a\n    ```', []],
    ['an unclosed fence', '```suggestion\na', []],
    ['another word', '```suggestions\na\n```', []],
  ];
  for (const [name, text, expected] of cases) {
    it(name, () =>
      assert.deepEqual(
        parseSuggestions(text).map(({ above, below, content }) => [above, below, content]),
        expected,
      ),
    );
  }
});

describe('replacement of lines', () => {
  it('keeps the rest of the file and the line endings', () => {
    assert.equal(replaceLines('a\nb\nc\n', [{ from: 2, to: 2, content: 'B\nbb\n' }]), 'a\nB\nbb\nc\n');
    assert.equal(replaceLines('a\r\nb\r\n', [{ from: 1, to: 1, content: 'A\n' }]), 'A\r\nb\r\n');
    assert.equal(replaceLines('a\nb', [{ from: 2, to: 2, content: 'B\n' }]), 'a\nB\n');
    assert.equal(replaceLines('a\nb\nc\n', [{ from: 1, to: 3, content: '' }]), '');
    const both = [
      { from: 1, to: 1, content: '' },
      { from: 3, to: 3, content: 'C\n' },
    ];
    assert.equal(replaceLines('a\nb\nc\n', both), 'b\nC\n');
    assert.equal(linesBetween('a\nb\nc', 2, 9), 'b\nc');
  });
  it('detects overlapping ranges', () => {
    const at = (from: number, to: number) => ({ from, to, content: '' });
    assert.equal(overlap([at(3, 4), at(1, 2)]), false);
    assert.equal(overlap([at(3, 4), at(1, 3)]), true);
  });
});

describe('commit messages of suggestions', () => {
  const facts = {
    branch: 'topic',
    paths: ['a', 'b'],
    count: 3,
    projectName: 'App',
    projectPath: 'x/app',
    user: { name: 'Ann', username: 'ann' },
    coAuthors: ['Bo <bo@x>'],
  };
  it('name the authors and fill templates', () => {
    const usual = 'Apply 3 suggestion(s) to 2 file(s)\n\nCo-authored-by: Bo <bo@x>';
    assert.equal(suggestionMessage(null, facts), usual);
    assert.equal(suggestionMessage(null, { ...facts, coAuthors: [] }), 'Apply 3 suggestion(s) to 2 file(s)');
    const template = '%{username} %{file_paths} %{branch_name} %{project_path} %{constructor}';
    assert.equal(suggestionMessage(template, facts), 'ann a b topic x/app %{constructor}');
  });
});
