import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { it } from 'node:test';
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
