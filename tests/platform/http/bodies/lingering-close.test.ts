import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { it } from 'node:test';
import { lingerOnClose } from '../../../../src/platform/http/bodies/lingering-close.ts';
import { rootToken, startTestServer } from '../../../support/server.ts';

/** Sends a request like a client that reads nothing before it has sent everything. Returns the whole response. */
async function sendFirst(url: string, headers: readonly string[], body: Buffer): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.pause();
  const broken = new Promise<never>((_, reject) => socket.once('error', reject));
  const head = [...headers, 'host: test', '', ''].join('\r\n');
  const sent = new Promise<void>((resolve) => {
    socket.write(head);
    socket.write(body, () => resolve());
  });
  await Promise.race([sent, broken]);
  return Promise.race([text(socket), broken]);
}

const size = 24 * 1024 * 1024;
const space = Buffer.alloc(size, 0x20);
const chunk = Buffer.concat([Buffer.from(`${size.toString(16)}\r\n`), space, Buffer.from('\r\n0\r\n\r\n')]);
const bodies: readonly (readonly [string, string, Buffer])[] = [
  ['of known length', `content-length: ${size}`, space],
  ['in chunks', 'transfer-encoding: chunked', chunk],
];

for (const [how, header, body] of bodies) {
  it(`a client that sends a too large body ${how} to its end reads that it is too large`, async () => {
    const server = await startTestServer('sqlite');
    const { id } = await server.must('POST /groups', { json: { name: 'group', path: 'group' } });
    const headers = [
      `POST /api/v4/groups/${id}/labels HTTP/1.1`,
      `private-token: ${rootToken}`,
      'content-type: application/json',
      header,
    ];
    const answer = await sendFirst(server.url, headers, body);
    assert.match(answer, /^HTTP\/1\.1 413 /);
    assert.match(answer, /\r\nconnection: close\r\n/i);
    assert.match(answer, /"413 Request Entity Too Large"/);
  });
}

it('a connection with thousands of requests is closed after the last one', async () => {
  const server = createServer((request, response) => {
    request.resume();
    response.end();
  });
  server.maxRequestsPerSocket = 0;
  lingerOnClose(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const request = (more: string) => `POST / HTTP/1.1\r\nhost: test\r\ncontent-length: 2\r\n${more}\r\n{}`;
  socket.write(request('').repeat(15_000) + request('connection: close\r\n'));
  const answers = (await text(socket)).match(/HTTP\/1\.1 200 /g);
  assert.equal(answers?.length, 15_001);
  server.close();
});
