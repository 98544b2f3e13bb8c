import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { Hearth, hearth, newDirectory } from './hearth.ts';

test('the first start creates the data directory and prints how to sign in; later starts print only the address', async () => {
  const data = join(await newDirectory(), 'data');
  const first = new Hearth(['serve', '--port', '0', '--data', data]);
  assert.match(await first.address(), /^http:\/\/127\.0\.0\.1:\d+$/);
  const passwordFile = join(data, 'root-password');
  assert.ok((await first.line(/password is in/)).includes(passwordFile));
  assert.match(await first.line(/create-token/), /--data/);
  assert.equal((await stat(passwordFile)).mode & 0o777, 0o600);
  assert.equal((await stat(data)).mode & 0o777, 0o700);
  for (const name of await readdir(data)) assert.equal((await stat(join(data, name))).mode & 0o077, 0, name);
  const password = await readFile(passwordFile, 'utf8');
  first.kill('SIGTERM');
  const { code, stdout, stderr } = await first.ended;
  assert.equal(code, 0);
  assert.ok(!`${stdout}${stderr}`.includes(password.trim()));

  const second = new Hearth(['--port', '0', '--data', data]);
  const address = await second.address();
  assert.equal((await fetch(`${address}/-/liveness`)).status, 200);
  second.kill('SIGINT');
  const again = await second.ended;
  assert.equal(again.code, 0);
  assert.equal(again.stdout, `Hearth is ready at ${address}`);
});

test('an ephemeral server prints one line of JSON, accepts its token, and leaves nothing behind', async () => {
  const elsewhere = await newDirectory();
  const env = {
    HEARTH_DATA: join(elsewhere, 'real'),
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    TMPDIR: elsewhere,
  };
  const server = new Hearth(['serve', '--ephemeral'], env);
  const { url, token, pid } = JSON.parse(await server.line(/./));
  assert.equal(pid, server.child.pid);
  const answer = await fetch(`${url}/api/v4/version`, { headers: { 'private-token': token } });
  assert.equal(answer.status, 200);
  assert.equal((await readdir(elsewhere)).length, 1);
  server.kill('SIGTERM');
  const { code, stdout, stderr } = await server.ended;
  assert.equal(code, 0);
  assert.equal(stdout.split('\n').length, 1);
  assert.equal(stderr, '');
  assert.deepEqual(await readdir(elsewhere), []);
  assert.ok(!existsSync(env.HEARTH_DATA));
});

test('directories of killed ephemeral servers are removed at the next start, those of running ones kept', async () => {
  const shared = { TMPDIR: await newDirectory() };
  const killed = new Hearth(['serve', '--ephemeral'], shared);
  await killed.line(/./);
  const living = new Hearth(['serve', '--ephemeral'], shared);
  await living.line(/./);
  killed.kill('SIGKILL');
  await killed.ended;
  assert.equal((await readdir(shared.TMPDIR)).length, 2);
  const next = new Hearth(['serve', '--ephemeral'], shared);
  await next.line(/./);
  const owners = (await readdir(shared.TMPDIR)).map((name) => name.split('-').at(-2)).sort();
  assert.deepEqual(owners, [String(living.child.pid), String(next.child.pid)].sort());
  for (const server of [living, next]) server.kill('SIGTERM');
  await Promise.all([living.ended, next.ended]);
  assert.deepEqual(await readdir(shared.TMPDIR), []);
});

test('SIGTERM finishes requests in flight, refuses new connections, and exits', async () => {
  const { server, url, sent } = await serverWithRequestInFlight();
  server.kill('SIGTERM');
  await refusesConnections(url);
  // Longer than the server waits for its own parts to stop.
  await setTimeout(10_500);
  assert.equal(server.child.exitCode, null);
  const answered = once(sent, 'response');
  sent.end('=there');
  const [response] = await answered;
  assert.equal(response.statusCode, 401);
  response.resume();
  assert.equal((await server.ended).code, 0);
});

test('a second SIGTERM exits immediately, and even then an ephemeral server leaves nothing behind', async () => {
  const { server, url, sent } = await serverWithRequestInFlight();
  sent.on('error', () => {});
  server.kill('SIGTERM');
  await refusesConnections(url);
  server.kill('SIGTERM');
  assert.equal((await server.ended).code, 143);
  const left = (await readdir(tmpdir())).filter((name) => name.includes(`-${server.child.pid}-`));
  assert.deepEqual(left, []);
});

test('a port in use is reported in one sentence', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  const { code, stderr } = await hearth(['serve', '--port', String(port), '--data', await newDirectory()]);
  other.close();
  assert.equal(code, 1);
  assert.equal(
    stderr.trim(),
    `127.0.0.1 port ${port} is taken: stop what listens there, or choose another with --port`,
  );
});

test('compiled modules are cached for the next start', async () => {
  const data = await newDirectory();
  const server = new Hearth(['serve', '--port', '0', '--data', data]);
  await server.address();
  server.kill('SIGTERM');
  await server.ended;
  const cache = join(import.meta.dirname, '..', '..', '.cache', 'compile');
  assert.ok((await readdir(cache)).length > 0);
});

/** Starts a server and a request whose body is sent halfway, so that it stays in flight. */
async function serverWithRequestInFlight() {
  const server = new Hearth(['serve', '--ephemeral']);
  const { url } = JSON.parse(await server.line(/./)) as { url: string };
  const agent = new Agent({ keepAlive: true });
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': '10',
    expect: '100-continue',
  };
  const sent = request(`${url}/api/v4/projects/1/labels`, { method: 'POST', agent, headers });
  sent.flushHeaders();
  // The server responds to the expectation once it has accepted the request.
  await once(sent, 'continue');
  sent.write('name');
  return { server, url, sent };
}

/** Waits until the server refuses connections. */
async function refusesConnections(url: string): Promise<void> {
  for (;;) {
    try {
      await (await fetch(`${url}/-/liveness`, { headers: { connection: 'close' } })).text();
    } catch (error) {
      if (error instanceof TypeError) return;
      throw error;
    }
  }
}

test('an unread log blocks neither requests nor shutdown', async () => {
  const data = await newDirectory();
  const argv = ['serve', '--port', '0', '--data', data, '--log-level', 'info'];
  const server = new Hearth(argv);
  const address = await server.address();
  server.child.stderr?.removeAllListeners('data');
  server.child.stderr?.pause();
  // Exceeds the capacity of a pipe.
  for (let n = 0; n < 60; n += 1) {
    const requests = Array.from({ length: 100 }, () => fetch(`${address}/api/v4/version?${'x'.repeat(200)}`));
    for (const { status } of await Promise.all(requests)) assert.equal(status, 401);
  }
  server.kill('SIGTERM');
  const [code] = await once(server.child, 'exit');
  assert.equal(code, 0);
});

test('unfinished requests are aborted at the stop deadline', async () => {
  const data = await newDirectory();
  const server = new Hearth(['serve', '--port', '0', '--data', data, '--stop-deadline', '100ms']);
  const { hostname, port } = new URL(await server.address());
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write('POST /api/v4/projects HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n');
  socket.write('content-length: 100\r\n\r\n{');
  // The server has read the header by the time it answers a later connection.
  await fetch(`http://${hostname}:${port}/-/liveness`);
  server.kill('SIGTERM');
  const { code } = await server.ended;
  assert.equal(code, 0);
  socket.destroy();
});
