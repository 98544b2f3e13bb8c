import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import {
  createEgress,
  type Egress,
  type EgressPolicy,
  EgressRefused,
  ResponseTooLarge,
} from '../../../src/platform/egress/client.ts';
import { certificate, certificateKey } from './certificate.ts';

const localhost = { name: 'EgressRefused', message: 'Requests to localhost are not allowed' };

let seen: { url?: string; method?: string; headers: IncomingMessage['headers']; body: string }[] = [];
let first: Server;
let second: Server;
let secure: Server;
const egresses: Egress[] = [];

// /to?status&url redirects; other paths misbehave, and all else responds with "hello".
const listener: RequestListener = async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  seen.push({ url: request.url, method: request.method, headers: request.headers, body });
  const url = new URL(request.url ?? '/', 'http://x');
  const location = url.searchParams.get('url');
  if (location !== null) response.writeHead(Number(url.searchParams.get('status') ?? 302), { location }).end();
  else if (url.pathname === '/silent') return;
  else if (url.pathname === '/stalls') response.write('half');
  else if (url.pathname === '/drips') drip(response);
  else if (url.pathname === '/endless') Readable.from(endless()).pipe(response);
  else if (url.pathname === '/large') response.writeHead(200, { 'content-length': 5000 }).end(Buffer.alloc(5000));
  else response.end('hello');
};

function* endless() {
  for (;;) yield Buffer.alloc(1000);
}

function drip(response: NodeJS.WritableStream): void {
  const timer = setInterval(() => response.write('.'), 5);
  response.on('close', () => clearInterval(timer));
}

before(async () => {
  first = createServer(listener);
  second = createServer(listener);
  secure = createSecureServer({ cert: certificate, key: certificateKey }, listener);
  for (const server of [first, second, secure]) {
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  }
});

after(async () => {
  for (const egress of egresses) await egress.close();
  for (const server of [first, second, secure]) server.closeAllConnections();
  for (const server of [first, second, secure]) await new Promise((closed) => server.close(closed));
});

const portOf = (server: Server) => (server.address() as AddressInfo).port;
const at = (server: Server, path = '/', host = '127.0.0.1') => `http://${host}:${portOf(server)}${path}`;
const redirect = (to: string, status = 302) => `/?status=${status}&url=${encodeURIComponent(to)}`;

function client(policy: Partial<EgressPolicy> & { ca?: string } = {}): Egress {
  seen = [];
  const egress = createEgress({ allowLocal: false, allowList: [], ...policy });
  egresses.push(egress);
  return egress;
}

const resolvingTo = (...addresses: string[]) =>
  client({
    allowList: [`127.0.0.1:${portOf(first)}`],
    resolve: async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
  });

describe('allowed destinations', () => {
  test('this machine only if local requests are allowed', async () => {
    for (const host of ['127.0.0.1', 'localhost', '2130706433', '0x7f.1', '0', '[::ffff:127.0.0.1]']) {
      await assert.rejects(client().fetch(at(first, '/', host)), localhost, host);
    }
    assert.equal(seen.length, 0, 'no request arrived');
    const response = await client({ allowLocal: true }).fetch(at(first, '/path?q=1'));
    assert.equal(response.status, 200);
    assert.equal(await response.text(), 'hello');
    assert.equal(seen[0]?.url, '/path?q=1');
    assert.equal(seen[0]?.headers.host, `127.0.0.1:${portOf(first)}`);
  });

  test('cloud metadata services only if they are on the allow list', async () => {
    const url = 'http://169.254.169.254/latest/meta-data/';
    await assert.rejects(client({ allowLocal: true }).checkUrl(url), EgressRefused);
    await assert.rejects(client({ allowLocal: true }).fetch(url), EgressRefused);
    const listed = await client({ allowList: ['169.254.169.254'] }).checkUrl(url);
    assert.equal(listed.address, '169.254.169.254');
  });

  test('entries of the allow list, at their port', async () => {
    const egress = client({ allowList: [`127.0.0.1:${portOf(first)}`] });
    assert.equal((await egress.fetch(at(first))).status, 200);
    await assert.rejects(egress.fetch(at(second)), localhost);
  });

  test('only http and https', async () => {
    await assert.rejects(client({ allowLocal: true }).fetch('file:///etc/passwd'), /Only allowed schemes/);
  });
});

describe('host names', () => {
  test('are rejected if any of their addresses is private (CVE-2026-101029)', async () => {
    for (const address of ['10.0.0.1', '127.0.0.1', 'fd00::1', '169.254.169.254', 'fe80::1%eth0']) {
      await assert.rejects(resolvingTo('8.8.8.8', address).fetch('http://example.com/'), EgressRefused, address);
    }
  });

  test('are connected to at the checked address, even if they resolve differently later (CVE-2026-101029)', async () => {
    let lookups = 0;
    const egress = client({
      allowList: [`127.0.0.1:${portOf(first)}`],
      resolve: async () => [{ address: lookups++ === 0 ? '127.0.0.1' : '127.0.0.2', family: 4 }],
    });
    const response = await egress.fetch(at(first, '/', 'rebinding.test'));
    assert.equal(response.status, 200);
    assert.equal(lookups, 1);
    assert.equal(seen[0]?.headers.host, `rebinding.test:${portOf(first)}`);
    await response.text();
  });

  test('that cannot be resolved are rejected', async () => {
    const failing = client({ resolve: () => Promise.reject(new Error('ENOTFOUND')) });
    const unresolved = { name: 'EgressRefused', message: 'Host cannot be resolved or invalid' };
    await assert.rejects(failing.fetch('http://nowhere.test/'), unresolved);
    await assert.rejects(resolvingTo().fetch('http://nowhere.test/'), unresolved);
  });

  test('are verified against the TLS certificate', async () => {
    const policy = { allowLocal: true, resolve: async () => [{ address: '127.0.0.1', family: 4 }] };
    const trusting = client({ ...policy, ca: certificate });
    const port = portOf(secure);
    assert.equal(await (await trusting.fetch(`https://secure.test:${port}/`)).text(), 'hello');
    await assert.rejects(trusting.fetch(`https://other.test:${port}/`), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    await assert.rejects(client(policy).fetch(`https://secure.test:${port}/`), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  });
});

describe('redirects', () => {
  const allowed = () => client({ allowList: [`127.0.0.1:${portOf(first)}`] });

  test('are returned as responses unless they are to be followed', async () => {
    const response = await allowed().fetch(at(first, redirect('/end')));
    assert.equal(response.status, 302);
    assert.equal(response.headers.location, '/end');
    const followed = await allowed().fetch(at(first, redirect('/end')), { redirects: 1 });
    assert.equal(await followed.text(), 'hello');
    assert.equal(followed.url, at(first, '/end'));
  });

  test('from an allowed to a forbidden host are rejected', async () => {
    for (const to of [at(second), at(second, '/', 'localhost'), 'http://169.254.169.254/', 'http://[::1]:1/']) {
      await assert.rejects(allowed().fetch(at(first, redirect(to)), { redirects: 5 }), EgressRefused, to);
    }
    for (const to of ['file:///etc/passwd', 'gopher://127.0.0.1/', 'http://[', 'ftp://x/']) {
      await assert.rejects(allowed().fetch(at(first, redirect(to)), { redirects: 5 }), EgressRefused, to);
    }
    assert.ok(seen.every(({ url }) => url?.includes('url=')));
  });

  test('are limited in number', async () => {
    const loop = at(first, '/?url=');
    await assert.rejects(allowed().fetch(loop, { redirects: 3 }), /Too many redirects/);
    assert.equal(seen.length, 4);
    await assert.rejects(allowed().fetch(loop, { redirects: 1000 }), /Too many redirects/);
    assert.equal(seen.length, 6);
  });

  test('to another origin drop every header that may be a credential', async () => {
    const headers = { Authorization: 'Bearer x', Cookie: 'a=b', 'X-Gitlab-Token': 'secret', Accept: 'text/plain' };
    const egress = client({ allowLocal: true });
    const path = redirect(at(second));
    await egress.fetch(`http://user:pass@127.0.0.1:${portOf(first)}${path}`, { redirects: 2, headers });
    const [before, after] = seen;
    assert.equal(before?.headers['x-gitlab-token'], 'secret');
    assert.equal(before?.headers.authorization, 'Bearer x');
    assert.deepEqual(Object.keys(after?.headers ?? {}).sort(), ['accept', 'connection', 'host', 'user-agent']);
    await egress.fetch(at(first, redirect('/same')), { redirects: 2, headers });
    assert.equal(seen[3]?.headers.authorization, 'Bearer x', 'redirects within the same origin keep them');
  });

  test('keep or change method and body by the rules of HTTP', async () => {
    const body = '{"a":1}';
    for (const [status, method, expectedMethod, expectedBody] of [
      [301, 'POST', 'GET', ''],
      [302, 'POST', 'GET', ''],
      [303, 'PUT', 'GET', ''],
      [302, 'PUT', 'PUT', body],
      [307, 'POST', 'POST', body],
      [308, 'POST', 'POST', body],
    ] as const) {
      const headers = { 'content-type': 'application/json' };
      await allowed().fetch(at(first, redirect('/end', status)), { redirects: 1, method, body, headers });
      const last = seen.at(-1);
      assert.equal(last?.method, expectedMethod, `${method} ${status}`);
      assert.equal(last?.body, expectedBody, `${method} ${status}`);
      assert.equal(last?.headers['content-type'], expectedBody ? 'application/json' : undefined);
    }
    const stream = Readable.from([Buffer.from(body)]);
    const sent = allowed().fetch(at(first, redirect('/end', 307)), { redirects: 1, method: 'POST', body: stream });
    await assert.rejects(sent, /cannot be sent twice/);
  });

  test('from https to http are rejected', async () => {
    const egress = client({
      allowLocal: true,
      ca: certificate,
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    });
    const sent = egress.fetch(`https://secure.test:${portOf(secure)}${redirect(at(first))}`, { redirects: 2 });
    await assert.rejects(sent, /from https to http/);
  });
});

describe('egress limits', () => {
  const open = () => client({ allowLocal: true });

  test('limit the response size, with or without Content-Length', async () => {
    await assert.rejects(open().fetch(at(first, '/large'), { maxBytes: 4999 }), ResponseTooLarge);
    const exact = await open().fetch(at(first, '/large'), { maxBytes: 5000 });
    assert.equal((await exact.text()).length, 5000);
    const endless = await open().fetch(at(first, '/endless'), { maxBytes: 100_000 });
    await assert.rejects(endless.text(), ResponseTooLarge);
    const head = await open().fetch(at(first, '/large'), { maxBytes: 10, method: 'HEAD' });
    assert.equal(head.headers['content-length'], '5000');
  });

  test('limit the time until the headers, between chunks, and in total', async () => {
    const silent = open().fetch(at(first, '/silent'), { timeoutsMs: { headers: 20 } });
    await assert.rejects(silent, { code: 'UND_ERR_HEADERS_TIMEOUT' });
    const stalling = await open().fetch(at(first, '/stalls'), { timeoutsMs: { body: 20 } });
    await assert.rejects(stalling.text(), { code: 'UND_ERR_BODY_TIMEOUT' });
    // On a busy machine the timeout may expire before the headers arrive.
    const dripping = open().fetch(at(first, '/drips'), { timeoutsMs: { total: 100 } });
    await assert.rejects(
      dripping.then((response) => response.text()),
      { name: 'TimeoutError' },
    );
  });

  test("respect the caller's abort signal", async () => {
    const abort = new AbortController();
    const sent = open().fetch(at(first, '/silent'), { signal: abort.signal });
    abort.abort();
    await assert.rejects(sent, { name: 'AbortError' });
  });

  test('destroy a body that is not read to its end', async () => {
    const response = await open().fetch(at(first, '/endless'), { maxBytes: Number.POSITIVE_INFINITY });
    for await (const chunk of response.body) {
      assert.ok(chunk.length > 0);
      break;
    }
    assert.ok(response.body.destroyed);
  });
});

describe('checkUrl', () => {
  const answers = [
    { address: '93.184.216.34', family: 4 },
    { address: '2606:2800:220:1::1', family: 6 },
  ];

  test('returns the checked addresses, also in the format of git', async () => {
    const checked = await client({ resolve: async () => answers }).checkUrl('https://user@Example.com./group/x.git');
    assert.equal(checked.url.href, 'https://user@example.com/group/x.git');
    assert.equal(checked.address, '93.184.216.34');
    assert.deepEqual(checked.addresses, answers);
    assert.equal(checked.curloptResolve, 'example.com:443:93.184.216.34,[2606:2800:220:1::1]');
    const literal = await client().checkUrl('http://8.8.8.8/');
    assert.equal(literal.curloptResolve, undefined);
  });

  test("applies the caller's rules", async () => {
    const egress = client({ resolve: async () => answers });
    const rules = { schemes: ['https', 'ssh'], lowPorts: [22, 443] };
    assert.equal((await egress.checkUrl('ssh://git@example.com/x', rules)).port, 22);
    await assert.rejects(egress.checkUrl('http://example.com/x', rules), /Only allowed schemes are https, ssh/);
    await assert.rejects(egress.checkUrl('https://example.com:25/x', rules), /Only allowed ports/);
    await assert.rejects(client().checkUrl('ssh://git@0x7f.1/x', rules), localhost);
  });

  test('makes git connect to the checked address', async () => {
    const egress = client({ allowLocal: true, resolve: async () => [{ address: '127.0.0.1', family: 4 }] });
    const { url, curloptResolve } = await egress.checkUrl(at(first, '/x.git', 'pinned.test'));
    const git = promisify(execFile)('git', ['-c', `http.curloptResolve=${curloptResolve}`, 'ls-remote', url.href], {
      env: { PATH: process.env.PATH, GIT_TERMINAL_PROMPT: '0', GIT_CONFIG_NOSYSTEM: '1', HOME: '/nonexistent' },
    });
    // The server does not speak git; only that the request reached it matters.
    await Promise.allSettled([git]);
    assert.equal(seen[0]?.headers.host, `pinned.test:${portOf(first)}`);
    assert.match(seen[0]?.url ?? '', /^\/x\.git\/info\/refs/);
  });
});
