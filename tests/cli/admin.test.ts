import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Ended, Hearth, hearth, newDirectory } from './hearth.ts';

/** Runs an administrative command that must succeed. */
async function admin(data: string, argv: string[], input = ''): Promise<Ended> {
  const ended = await hearth(['admin', ...argv, '--data', data], {}, input);
  assert.equal(ended.code, 0, ended.stderr);
  return ended;
}

test('admin commands create and announce the administrator in a fresh data directory', async () => {
  const data = await newDirectory();
  const { stderr } = await admin(data, ['create-user', '--username', 'jane', '--email', 'jane@example.com']);
  assert.match(stderr, /Created the administrator root; its password is in .*root-password\nCreated jane, number 2/);
  assert.notEqual(await readFile(join(data, 'root-password'), 'utf8'), '');
});

test('a token created next to a running server works immediately, limited to its scopes', async () => {
  const data = await newDirectory();
  const server = new Hearth(['serve', '--port', '0', '--data', data, '--log-level', 'error']);
  const address = await server.address();
  const call = async (token: string, init: RequestInit = {}) =>
    (await fetch(`${address}/api/v4/user/status`, { ...init, headers: { 'private-token': token } })).status;
  const { stdout: all } = await admin(data, ['create-token', '--username', 'root', '--name', 'all']);
  assert.match(all, /^glpat-[\w-]{20}$/);
  assert.equal(await call(all), 200);
  assert.equal(await call(all, { method: 'PUT' }), 200);
  const reading = [
    'create-token',
    '--username',
    'root',
    '--name',
    'r',
    '--scopes',
    'read_api',
    '--expires-at',
    '2199-12-31',
  ];
  const { stdout: reads } = await admin(data, reading);
  assert.equal(await call(reads), 200);
  assert.equal(await call(reads, { method: 'PUT' }), 403);
  server.kill('SIGTERM');
  await server.ended;
});

test('a password is read from standard input, or generated and printed', async () => {
  const data = await newDirectory();
  const jane = ['--username', 'jane'];
  const argv = ['create-user', ...jane, '--email', 'j@example.com', '--password-stdin'];
  assert.equal((await admin(data, argv, 'correct horse battery\n')).stdout, '');
  const { stdout: first } = await admin(data, ['reset-password', ...jane]);
  const { stdout: second } = await admin(data, ['reset-password', ...jane]);
  assert.match(first, /^[\w-]{24}$/);
  assert.notEqual(first, second);
});

const refused: [argv: string[], code: number, message: RegExp][] = [
  [['create-user'], 2, /--username: needed here\n {2}--email: needed here/],
  [['create-user', '--username', 'root', '--email', 'r@example.com'], 1, /Username has already been taken/],
  [['create-user', '--username', 'a b', '--email', 'r@example.com'], 1, /username: /],
  [['create-user', '--username', 'x', '--email', 'x@example.com', '--password-stdin'], 1, /standard input is empty/],
  [['create-token', '--username', 'nobody', '--name', 'x'], 1, /there is no user nobody/],
  [['create-token', '--username', 'root', '--name', 'x', '--scopes', 'apis'], 2, /--scopes: expected some of api,/],
  [['create-token', '--username', 'root', '--name', 'x', '--expires-at', '2020-01-01'], 2, /a day in the future/],
  [['create-token', '--username', 'root', '--name', 'x', '--expires-at', '2199-02-30'], 2, /a day such as/],
  [['reset-password', '--username', 'nobody'], 1, /there is no user nobody/],
  [['disable-two-factor', '--username', 'nobody'], 1, /there is no user nobody/],
  [['disable-two-factor', '--username', 'root'], 1, /root has no second factor/],
  [['disable-two-factor'], 2, /--username: needed here/],
];

test('invalid administrative commands fail with a message and no stack trace', async () => {
  const data = await newDirectory();
  await hearth(['admin', 'create-token', '--username', 'root', '--name', 'first', '--data', data]);
  for (const [argv, code, message] of refused) {
    const ended = await hearth(['admin', ...argv, '--data', data]);
    assert.equal(ended.code, code, argv.join(' '));
    assert.match(ended.stderr, message);
    assert.doesNotMatch(ended.stderr, /\n {4}at /);
    assert.equal(ended.stdout, '');
  }
});

test('create-token rejects administrator scopes for other users', async () => {
  const data = await newDirectory();
  await admin(data, ['create-user', '--username', 'jane', '--email', 'jane@example.com']);
  const argv = ['admin', 'create-token', '--username', 'jane', '--name', 'x', '--scopes', 'api,sudo', '--data', data];
  assert.match((await hearth(argv)).stderr, /only an administrator may have sudo/);
});
