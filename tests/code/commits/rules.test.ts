import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { cherryPickMessage, revertMessage } from '../../../src/code/commits/cherry-pick/messages.ts';
import { readCommitInput } from '../../../src/code/commits/files/actions.ts';
import { indexPath } from '../../../src/code/commits/files/index-path.ts';
import { isRevisionText } from '../../../src/code/commits/revision-range.ts';
import type { Commit } from '../../../src/platform/git/objects/commit.ts';
import { base64Decoder, decodeBase64 } from '../../../src/platform/http/bodies/base64.ts';
import { HttpError } from '../../../src/platform/http/errors.ts';

describe('base64', () => {
  const lenient: [string, string][] = [
    ['aGVsbG8=', 'hello'],
    ['aGVs bG8=\n', 'hello'],
    ['aGVs-_!bG8', 'hello'],
    ['aGVsbG8=aGVsbG8=', 'hello'],
    ['aGVsbG8', 'hello'],
    ['aGVsb', 'hel'],
    ['', ''],
    ['====', ''],
  ];
  for (const [sent, bytes] of lenient) {
    it(`leniently decodes ${JSON.stringify(sent)}`, () =>
      assert.equal(decodeBase64(sent, 'lenient').toString(), bytes));
  }
  const strict: [string, string | number][] = [
    ['aGVsbG8=', 'hello'],
    ['aGVs\r\nbG8=\n', 'hello'],
    ['', ''],
    ['aGVs bG8=', 4],
    ['aGVsbG8', 7],
    ['aGVsb', 5],
    ['aGVs=', 5],
    ['aGk==', 5],
    ['aG=k', 4],
    ['aGVs-_', 4],
  ];
  for (const [sent, result] of strict) {
    it(`strictly decodes ${JSON.stringify(sent)}`, () => {
      if (typeof result === 'string') assert.equal(decodeBase64(sent, 'strict').toString(), result);
      else
        assert.throws(() => decodeBase64(sent, 'strict'), { message: `illegal base64 data at input byte ${result}` });
    });
  }

  it('is decoded from chunks of any size', async () => {
    const bytes = Array.from({ length: 1000 }, (_, i) => String.fromCharCode(32 + (i % 90))).join('');
    const lines = Buffer.from(bytes).toString('base64').replace(/.{76}/g, '$&\r\n');
    for (const size of [1, 3, 7, 100]) {
      const pieces = lines.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      const decoded = Readable.from(pieces.map((piece) => Buffer.from(piece))).pipe(base64Decoder('strict'));
      assert.equal(await text(decoded), bytes);
    }
  });
});

describe('indexPath', () => {
  const table: [string, { path: string } | { problem: string }][] = [
    ['a/b', { path: 'a/b' }],
    ['/a/b', { path: 'a/b' }],
    ['./a', { path: 'a' }],
    ['a/', { path: 'a' }],
    ['', { problem: 'You must provide a file path' }],
    ['../a', { problem: 'Path cannot include directory traversal' }],
    ['a/../../b', { problem: 'Path cannot include directory traversal' }],
    ['a\\..\\b', { problem: 'Path cannot include directory traversal' }],
    ['a//b', { problem: "invalid path: 'a//b'" }],
    ['.git/config', { problem: "invalid path: '.git/config'" }],
    ['a/.GIT/x', { problem: "invalid path: 'a/.GIT/x'" }],
    ['git~1', { problem: "invalid path: 'git~1'" }],
    ['a\nb', { problem: "invalid path: 'a\nb'" }],
    ['/', { problem: "invalid path: '/'" }],
  ];
  for (const [given, result] of table) {
    it(JSON.stringify(given), () => assert.deepEqual(indexPath(given), result));
  }
});

describe('commit body', () => {
  const good = { branch: 'main', commit_message: 'm' };
  const one = (action: object) => ({ ...good, actions: [{ file_path: 'a', ...action }] });
  const says = (fields: object) => {
    try {
      readCommitInput({ ...fields });
      return 'fine';
    } catch (error) {
      assert.ok(error instanceof HttpError && error.status === 400, String(error));
      return (error.body as { message: string }).message.replace('400 Bad request - ', '');
    }
  };
  const table: [object, string][] = [
    [{}, 'branch is required'],
    [{ branch: 'main', commit_message: ' ' }, 'commit_message is required'],
    [good, 'Provide at least one action, or set allow_empty to true'],
    [{ ...good, actions: [] }, 'Provide at least one action, or set allow_empty to true'],
    [{ ...good, allow_empty: 'perhaps' }, 'allow_empty must be a boolean'],
    [{ ...good, allow_empty: 'true' }, 'fine'],
    [{ ...good, actions: 'create' }, 'actions must be an array'],
    [
      { ...good, allow_empty: true, start_branch: 'a', start_sha: 'b' },
      'start_branch, start_sha are mutually exclusive',
    ],
    [{ ...good, actions: [{}] }, 'actions[0][action] is required'],
    [{ ...good, actions: ['x'] }, 'actions[0][action] is required'],
    [{ ...good, actions: [{ action: 'create' }] }, 'actions[0][file_path] is required'],
    [one({ action: 'destroy' }), 'actions[0][action] must be one of: create, update, move, delete, chmod'],
    [one({ action: 'create', content: '', encoding: 'hex' }), 'actions[0][encoding] must be text or base64'],
    [one({ action: 'update' }), 'actions[0][content] is required for update action'],
    [one({ action: 'create' }), 'actions[0][content] is required for create action'],
    [one({ action: 'move' }), 'actions[0][previous_path] is required for move action'],
    [one({ action: 'chmod' }), 'actions[0][execute_filemode] is required for chmod action'],
    [one({ action: 'chmod', execute_filemode: 7 }), 'actions[0][execute_filemode] must be a boolean'],
    [one({ action: 'chmod', execute_filemode: false, colour: 'red' }), 'fine'],
    [one({ action: 'create', content: null }), 'fine'],
    [one({ action: 'delete' }), 'fine'],
  ];
  for (const [fields, expected] of table) {
    it(JSON.stringify(fields), () => assert.equal(says(fields), expected));
  }

  it('keeps the message unchanged, and the content of a move without content', () => {
    const input = readCommitInput({
      ...good,
      commit_message: ' two\nlines\n',
      actions: { 0: { action: 'move', file_path: 'b', previous_path: 'a', content: null } },
      stats: 'false',
    });
    assert.equal(input.message, ' two\nlines\n');
    assert.equal(input.stats, false);
    assert.deepEqual(
      [input.actions[0]?.action, input.actions[0]?.previousPath, input.actions[0]?.content],
      ['move', 'a', undefined],
    );
  });
});

describe('cherry-pick and revert messages', () => {
  const who = { name: 'Ann', email: 'ann@example.com', seconds: 0, zone: 0 };
  const commit = { oid: 'a'.repeat(40), message: 'Title\n\nBody\n', author: who } as Commit;
  it('name the original commit', () => {
    assert.equal(
      cherryPickMessage(commit),
      `Title\n\nBody\n\n(cherry picked from commit ${commit.oid})\n\nCo-authored-by: Ann <ann@example.com>`,
    );
    assert.equal(revertMessage(commit), `Revert "Title"\n\nThis reverts commit ${commit.oid}`);
  });
});

describe('isRevisionText', () => {
  const table: [string, boolean][] = [
    ['', true],
    ['main', true],
    ['a..b', true],
    ['a...b~2^', true],
    ['-x', false],
    ['a b', false],
    ['a\tb', false],
    ['a\u00a0b', false],
  ];
  for (const [name, sound] of table) it(JSON.stringify(name), () => assert.equal(isRevisionText(name), sound));
});
