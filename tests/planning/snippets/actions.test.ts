import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { editsOfSingle, readActions, type WrittenAction } from '../../../src/planning/snippets/actions.ts';

describe('file actions of a snippet', () => {
  const read: [string, WrittenAction[], unknown][] = [
    [
      'a new file',
      [{ action: 'create', file_path: 'a', content: 'x' }],
      [{ action: 'create', path: 'a', content: 'x' }],
    ],
    [
      'names for files without one',
      [
        { action: 'create', content: 'x' },
        { action: 'create', file_path: ' ', content: 'y' },
      ],
      [
        { action: 'create', path: 'snippetfile2.txt', content: 'x' },
        { action: 'create', path: 'snippetfile3.txt', content: 'y' },
      ],
    ],
    [
      'a renamed file',
      [{ action: 'move', previous_path: 'a', file_path: 'b' }],
      [{ action: 'move', from: 'a', path: 'b', content: undefined }],
    ],
  ];
  for (const [title, actions, edits] of read) {
    it(title, () => assert.deepEqual(readActions(actions, ['snippetfile1.txt']), edits));
  }

  const refused: [string, WrittenAction][] = [
    ['a new file without content', { action: 'create', file_path: 'a' }],
    ['an update without a path', { action: 'update', content: 'x' }],
    ['an update with a previous path', { action: 'update', file_path: 'a', previous_path: 'b', content: 'x' }],
    ['a deletion without a path', { action: 'delete' }],
    ['a move without a previous path', { action: 'move', file_path: 'a' }],
    ['a move to the same place', { action: 'move', file_path: 'a', previous_path: 'a' }],
    ['a path outside the repository', { action: 'create', file_path: '../a', content: 'x' }],
    ['a path inside .git', { action: 'create', file_path: '.git/config', content: 'x' }],
  ];
  for (const [title, action] of refused) it(`rejects ${title}`, () => assert.throws(() => readActions([action], [])));

  it('keeps the content when a file is renamed', () => {
    assert.deepEqual(editsOfSingle(['a'], { file_name: 'b' }), [
      { action: 'move', from: 'a', path: 'b', content: undefined },
    ]);
    assert.deepEqual(editsOfSingle(['a'], { file_name: 'a' }), []);
    assert.deepEqual(editsOfSingle(['a'], { content: 'y' }), [{ action: 'update', path: 'a', content: 'y' }]);
  });
});
