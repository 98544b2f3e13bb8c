import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { test } from 'node:test';
import { HookCallParser, hookAnswer, installHooks } from '../../../../src/platform/git/transport/hooks.ts';
import { uploadPack } from '../../../../src/platform/git/transport/transport.ts';
import { WorkTree } from '../work-tree.ts';

const A = 'a'.repeat(40);
const Z = '0'.repeat(40);

test('hook messages are parsed however they are split', () => {
  const text = ['/q', '/a:/b', '2', 'one', 'two\nlines', `${Z} ${A} refs/heads/a\n${A} ${Z} refs/heads/b c\n`, ''].join(
    '\0',
  );
  const bytes = Buffer.from(`${text}${['', '', '0', '', ''].join('\0')}`);
  for (const size of [1, 3, 10, bytes.length]) {
    const parser = new HookCallParser();
    const calls = [];
    for (let at = 0; at < bytes.length; at += size) calls.push(...parser.push(bytes.subarray(at, at + size)));
    assert.deepEqual(calls, [
      {
        quarantine: { objectDirectory: '/q', alternates: '/a:/b' },
        pushOptions: ['one', 'two\nlines'],
        changes: [
          { ref: 'refs/heads/a', old: null, new: A },
          { ref: 'refs/heads/b c', old: A, new: null },
        ],
      },
      { quarantine: undefined, pushOptions: [], changes: [] },
    ]);
  }
  assert.throws(() => new HookCallParser(100).push(Buffer.alloc(101, 'x')), /too large/);
});

test('hook answers contain no control characters', () => {
  assert.equal(hookAnswer('ok', []), 'ok\n');
  assert.equal(hookAnswer('no', ['GitLab: a\nb', 'c\x1b[2J\td\r']), ' GitLab: a\n b\n c[2J\td\nno\n');
  assert.equal(hookAnswer('ok', ['ok']), ' ok\nok\n', 'text cannot be mistaken for the verdict');
});

test('hooks are installed once and read-only', async () => {
  const root = mkdtempSync(join(tmpdir(), 'hooks-'));
  try {
    const path = await installHooks(root);
    const before = statSync(path).ino;
    assert.equal(await installHooks(root), path);
    assert.equal(statSync(path).ino, before);
    assert.deepEqual(readdirSync(path).sort(), ['pack-objects', 'pre-receive']);
    for (const hook of readdirSync(path)) assert.equal(statSync(join(path, hook)).mode & 0o777, 0o555);
    assert.equal(statSync(path).mode & 0o777, 0o755);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

test('git does not wait for a client that disconnected before it started', async () => {
  const work = new WorkTree();
  try {
    work.commit({ f: 'x' });
    const input = new PassThrough();
    input.destroy();
    const output = new Writable({ write: (_chunk, _encoding, done) => done() });
    await assert.rejects(uploadPack(work.repo, { input, output, stateless: true }), { name: 'GitError' });
    const closed = new Writable();
    closed.destroy();
    await assert.rejects(uploadPack(work.repo, { input: new PassThrough(), output: closed, stateless: false }), {
      name: 'GitError',
    });
  } finally {
    work.remove();
  }
});
