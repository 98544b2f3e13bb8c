/**
 * Sends requests that browsers never send: proxies in front of the server and the server itself must interpret them
 * identically.
 */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { before, describe, it } from 'node:test';
import { originForm } from '../../src/platform/http/server/request-target.ts';
import { rootToken, startTestServer, type TestServer } from '../support/server.ts';

describe('request targets', () => {
  let server: TestServer;

  before(async () => {
    server = await startTestServer('sqlite');
    await server.must('POST /projects', { json: { name: 'target', visibility: 'public' } });
  });

  /** Sends these lines as a request. Returns everything received until the server closes the connection. */
  const send = (...lines: string[]): Promise<string> => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.write([...lines, 'connection: close', '', ''].join('\r\n'));
    return text(socket);
  };
  const statusOf = (answer: string) => Number(answer.split(' ', 2)[1]);

  const forms: [string, string][] = [
    ['/a?b=http://c/d', '/a?b=http://c/d'],
    ['//a/b', '//a/b'],
    ['http://elsewhere.example/a?b', '/a?b'],
    ['HTTPS://user:word@elsewhere.example:8/a', '/a'],
    ['http://elsewhere.example', '/'],
    ['http://elsewhere.example?a=b', '/?a=b'],
    ['*', '*'],
    ['ftp://elsewhere.example/a', 'ftp://elsewhere.example/a'],
  ];
  for (const [sent, meant] of forms) {
    it(`map ${sent} to ${meant}`, () => assert.equal(originForm(sent), meant));
  }

  it('in absolute form are accepted, and links use the configured host', async () => {
    const answer = await send(
      'GET http://elsewhere.example/api/v4/projects?per_page=1 HTTP/1.1',
      'host: elsewhere.example',
      `private-token: ${rootToken}`,
    );
    assert.equal(statusOf(answer), 200);
    assert.doesNotMatch(answer, /elsewhere/);
    assert.match(answer, new RegExp(`link: <${server.url}/api/v4/projects\\?`));
    const page = await send('GET http://elsewhere.example/users/sign_in HTTP/1.1', 'host: x', 'accept: text/html');
    assert.equal(statusOf(page), 200);
    assert.doesNotMatch(page, /elsewhere/);
    const moved = await send('GET http://elsewhere.example/dashboard/todos HTTP/1.1', 'host: x', 'accept: text/html');
    assert.doesNotMatch(/^location: .*$/im.exec(moved)?.[0] ?? '', /elsewhere/);
  });

  it('are not changed by forwarding headers', async () => {
    const told = ['x-forwarded-host', 'x-host', 'x-forwarded-server', 'x-original-url', 'x-rewrite-url'];
    const headers = told.map((name) => `${name}: elsewhere.example`);
    const forwarded = ['forwarded: host=elsewhere.example;proto=https', 'x-forwarded-proto: https'];
    for (const path of ['/api/v4/projects', '/users/sign_in', '/users/password/new', '/root/target', '/dashboard']) {
      const answer = await send(
        `GET ${path} HTTP/1.1`,
        'host: elsewhere.example',
        'accept: text/html',
        ...headers,
        ...forwarded,
      );
      assert.ok(statusOf(answer) < 400, `${path}: ${answer}`);
      assert.doesNotMatch(answer, /elsewhere/, path);
    }
  });

  it('are rejected with two Host headers or two lengths', async () => {
    const first = 'GET /api/v4/projects HTTP/1.1';
    assert.equal(statusOf(await send(first, 'host: a')), 200);
    assert.equal(statusOf(await send(first, 'host: a', 'Host: b')), 400);
    const post = ['POST /api/v4/markdown HTTP/1.1', 'host: a'];
    const lengths = [
      ['content-length: 5', 'transfer-encoding: chunked'],
      ['content-length: 5', 'content-length: 6'],
      ['transfer-encoding: xchunked'],
      ['transfer-encoding : chunked'],
      ['transfer-encoding: chunked, identity'],
      ['content-length: +5'],
    ];
    for (const length of lengths) assert.equal(statusOf(await send(...post, ...length)), 400, `${length}`);
  });
});
