import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { rootToken, type Sending, startTestServer, type TestServer } from '../support/server.ts';

const json = { 'content-type': 'application/json' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const zipped = { 'content-encoding': 'gzip' };
const deepPair = `a[]${Array.from({ length: 28 }, (_, n) => `[${n}]`).join('')}=1`;

/** Not with `once`, which would fail if the server resets the connection, as it may. */
const closed = (socket: Socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()));

describe('request bodies', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer('sqlite', ['--body-stall', '200ms']);
  });

  const answer = async (call: string, sending: Sending) => {
    const { status, body } = await server.api(call, sending);
    return [status, body.message ?? body.error];
  };

  it('are not read if the token is invalid', async () => {
    const wrong = { token: 'glpat-wrong', headers: json, body: '{"not json' };
    assert.deepEqual(await answer('POST /projects', wrong), [401, '401 Unauthorized']);
    const query = { token: null, headers: json, body: '{"not json' };
    assert.deepEqual(await answer('POST /projects?private_token=wrong', query), [401, '401 Unauthorized']);
  });

  it('are limited for anonymous requests, compressed or not', async () => {
    const large = JSON.stringify({ text: 'x'.repeat(300_000) });
    const plain = { token: null, headers: json };
    // If authentication is required, that error takes precedence.
    assert.deepEqual(await answer('POST /projects', { ...plain, body: large }), [401, '401 Unauthorized']);
    const packed = { token: null, headers: { ...json, ...zipped }, body: gzipSync(large) };
    assert.deepEqual(await answer('POST /projects', packed), [401, '401 Unauthorized']);
    const pairs = gzipSync(Array.from({ length: 92_857 }, () => deepPair).join('&'));
    const bomb = { token: null, headers: { ...form, ...zipped }, body: pairs };
    assert.deepEqual(await answer('POST /projects', bomb), [401, '401 Unauthorized']);
  });

  it('may contain the token if they are short', async () => {
    const group = { private_token: rootToken, name: 'bodies', path: 'bodies' };
    const made = await server.api('POST /groups', { token: null, json: group });
    assert.equal(made.status, 201);
    const refused = await server.api('POST /groups', { json: { private_token: 'wrong', name: 'x2', path: 'x2' } });
    assert.equal(refused.status, 401);
  });

  it('are rejected if the decompressed size is excessive', async () => {
    const body = gzipSync(JSON.stringify({ name: ' '.repeat(9_000_000) }));
    const sending = { headers: { ...json, ...zipped }, body };
    assert.equal((await server.api('POST /groups', sending)).status, 413);
    const project = await server.must('POST /projects', { json: { name: 'bombed' } });
    const commits = `POST /projects/${project.id}/repository/commits`;
    assert.equal((await server.api(commits, sending)).status, 413);
  });

  it('are rejected before parsing if nested too deeply or too wide', async () => {
    const project = await server.must('POST /projects', { json: { name: 'deep' } });
    for (const call of ['POST /groups', `POST /projects/${project.id}/repository/commits`]) {
      for (const body of ['['.repeat(1_000_000), `{"a":[${'[],'.repeat(300_000)}1]}`]) {
        const { status } = await server.api(call, { headers: json, body });
        assert.equal(status, 400, call);
      }
      const pairs = Array.from({ length: 5000 }, () => deepPair).join('&');
      assert.equal((await server.api(call, { headers: form, body: pairs })).status, 400, call);
    }
  });

  it('time out if they do not arrive', async () => {
    const { hostname, port } = new URL(server.url);
    const head = 'POST /api/v4/projects HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
    for (const rest of ['content-length: 100\r\n\r\n{', 'transfer-encoding: chunked\r\n\r\n1\r\n{\r\n']) {
      const socket = connect(Number(port), hostname);
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk.toString();
      });
      socket.write(head + rest);
      await closed(socket);
      assert.match(text, /^HTTP\/1\.1 408 /);
    }
  });

  it('time out if they arrive too slowly', async () => {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined).resume();
    socket.write('POST /api/v4/projects HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n');
    socket.write('content-length: 100000\r\n\r\n');
    const drip = setInterval(() => socket.write(' '), 20);
    await closed(socket);
    clearInterval(drip);
  });
});
