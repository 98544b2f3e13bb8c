import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readTagCommand, tagSummary } from '../../../src/planning/commit-notes/tag-command.ts';
import { findLinePair } from '../../../src/planning/notes/discussions/line-code.ts';

describe('detection of changed lines in a patch', () => {
  const patch =
    '@@ -1,4 +1,4 @@ head\n one\n-two\n+TWO\n three\n@@ -10,2 +10,3 @@\n ten\n+ten and a half\n eleven\n\\ No newline\n';
  const table: [number, 'new' | 'old', boolean][] = [
    [1, 'new', false],
    [2, 'new', true],
    [2, 'old', true],
    [3, 'old', false],
    [11, 'new', true],
    [11, 'old', false],
    [12, 'new', false],
  ];
  for (const [line, type, found] of table) {
    const lines = { oldLine: type === 'old' ? line : undefined, newLine: type === 'new' ? line : undefined };
    it(`${type} ${line}`, () => assert.equal(findLinePair(patch, lines) !== undefined, found));
  }
});

describe('the /tag quick action', () => {
  it('is removed from the comment', () => {
    assert.deepEqual(readTagCommand('/tag v1.0 First one '), {
      text: '',
      command: { name: 'v1.0', message: 'First one' },
    });
    assert.deepEqual(readTagCommand('Nice.\n/tag v2\nBye'), {
      text: 'Nice.\nBye',
      command: { name: 'v2', message: undefined },
    });
    const quoted = '```\n/tag v3\n```';
    assert.deepEqual(readTagCommand(quoted), { text: quoted, command: undefined });
    assert.deepEqual(readTagCommand('/tagged x'), { text: '/tagged x', command: undefined });
    assert.equal(tagSummary({ name: 'v1', message: undefined }), 'Tagged this commit to v1.');
    assert.equal(tagSummary({ name: 'v1', message: 'x' }), 'Tagged this commit to v1 with "x".');
  });
});
