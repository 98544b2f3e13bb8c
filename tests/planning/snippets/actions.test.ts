import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { editsOfSingle, readActions, type WrittenAction } from '../../../src/planning/snippets/actions.ts';

describe('what is to be done to the files of a snippet', () => {
  const read: [string, WrittenAction[], unknown][] = [
    [
      'a new file',
      [{ action: 'create', file_path: 'a', content: 'x' }],
      [{ action: 'create', path: 'a', content: 'x' }],
    ],
    [
      'names for those without one',
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
      'another name',
      [{ action: 'move', previous_path: 'a', file_path: 'b' }],
      [{ action: 'move', from: 'a', path: 'b', content: undefined }],
    ],
  ];
  for (const [title, actions, edits] of read) {
    it(title, () => assert.deepEqual(readActions(actions, ['snippetfile1.txt']), edits));
  }

  const refused: [string, WrittenAction][] = [
    ['a new file without content', { action: 'create', file_path: 'a' }],
    ['a change of no file', { action: 'update', content: 'x' }],
    ['a change that moves', { action: 'update', file_path: 'a', previous_path: 'b', content: 'x' }],
    ['a deletion of no file', { action: 'delete' }],
    ['a move from nowhere', { action: 'move', file_path: 'a' }],
    ['a move to the same place', { action: 'move', file_path: 'a', previous_path: 'a' }],
    ['a way out of the repository', { action: 'create', file_path: '../a', content: 'x' }],
    ['a file of git', { action: 'create', file_path: '.git/config', content: 'x' }],
  ];
  for (const [title, action] of refused) it(`refuses ${title}`, () => assert.throws(() => readActions([action], [])));

  it('keeps the content under another name', () => {
    assert.deepEqual(editsOfSingle(['a'], { file_name: 'b' }), [
      { action: 'move', from: 'a', path: 'b', content: undefined },
    ]);
    assert.deepEqual(editsOfSingle(['a'], { file_name: 'a' }), []);
    assert.deepEqual(editsOfSingle(['a'], { content: 'y' }), [{ action: 'update', path: 'a', content: 'y' }]);
  });
});
