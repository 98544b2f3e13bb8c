import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { rootToken, startTestServer, type TestServer } from '../../support/server.ts';

describe('HTTP requests', () => {
  let server: TestServer;
  let id: number;

  before(async () => {
    server = await startTestServer('sqlite');
    id = (await server.must('POST /groups', { json: { name: 'requests', path: 'requests' } })).id;
  });

  it('receive the standard headers', async () => {
    const { headers } = await server.api('GET /version');
    assert.equal(headers.get('content-type'), 'application/json');
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('x-frame-options'), 'SAMEORIGIN');
    assert.equal(headers.get('content-security-policy'), "default-src 'none'");
    assert.equal(headers.get('cache-control'), 'max-age=0, private, must-revalidate');
    assert.match(headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
    assert.match(headers.get('x-runtime') ?? '', /^\d+\.\d+$/);
    assert.equal(JSON.parse(headers.get('x-gitlab-meta') ?? '').correlation_id, headers.get('x-request-id'));
    assert.equal(headers.get('ratelimit-limit'), null);
  });

  it('receive a weak ETag, and 304 if it matches', async () => {
    const first = await server.api('GET /version');
    const tag = first.headers.get('etag') ?? '';
    assert.match(tag, /^W\/"/);
    const second = await server.api('GET /version', { headers: { 'if-none-match': tag } });
    assert.equal(second.status, 304);
    assert.equal(second.text, '');
  });

  it('with an empty segment in place of a number are not found', async () => {
    for (const call of [
      `GET /groups/${id}/epics//notes`,
      `DELETE /groups/${id}/badges//`,
      `DELETE /groups/${id}/members//`,
    ]) {
      const { status, body } = await server.api(call);
      assert.deepEqual([status, body], [404, { error: '404 Not Found' }], call);
    }
  });

  it('may have several slashes after the prefix', async () => {
    assert.equal((await server.api(`GET //groups/${id}/labels?search=//`)).status, 200);
    assert.equal((await server.api('POST ///groups', { json: { name: 'slashes', path: 'slashes' } })).status, 201);
    assert.equal((await server.api(`DELETE //groups/${id}/members//`)).status, 404);
  });

  it('support HEAD wherever GET is supported', async () => {
    const answer = await server.api(`HEAD /groups/${id}/labels`);
    assert.equal(answer.status, 200);
    assert.equal(answer.text, '');
    assert.equal(answer.headers.get('x-total'), '0');
    assert.equal(answer.headers.get('content-type'), 'application/json');
    const [got, headed] = [await server.api('GET /version'), await server.api('HEAD /version.json')];
    assert.equal(headed.status, 200);
    assert.equal(headed.text, '');
    assert.equal(headed.headers.get('content-length'), `${got.text.length}`);
    const wrong = await server.api(`HEAD /groups/${id}/share`);
    assert.equal(wrong.status, 405);
    assert.equal(wrong.headers.get('allow'), 'OPTIONS, POST');
    assert.equal((await server.api('HEAD /nothing')).status, 404);
  });

  it('may end with a slash or .json', async () => {
    for (const path of ['/version/', '/version.json', `/groups/${id}.json`, `/groups/${id}/labels.json?per_page=5`]) {
      assert.equal((await server.api(`GET ${path}`)).status, 200, path);
    }
    for (const path of ['/runners/all.json', '/snippets/public.json', `/groups/${id}/members/all.json?per_page=5`]) {
      assert.equal((await server.api(`GET ${path}`)).status, 200, 'a literal route next to a numeric parameter');
    }
  });

  it('receive 404 for an unknown route and 405 for an unsupported method', async () => {
    const unknown = await server.api('GET /no/such/route');
    assert.deepEqual([unknown.status, unknown.body], [404, { error: '404 Not Found' }]);
    const wrong = await server.api('POST /version');
    assert.deepEqual([wrong.status, wrong.body], [405, { error: '405 Not Allowed' }]);
    assert.equal(wrong.headers.get('allow'), 'OPTIONS, HEAD, GET');
    for (const type of ['application/octet-stream', 'application/json']) {
      const upload = await server.api('PUT /no/such/route', { body: 'no JSON', headers: { 'content-type': type } });
      assert.deepEqual([upload.status, upload.body], [404, { error: '404 Not Found' }], type);
    }
  });

  it('receive 414 for a URL that is too long', async () => {
    for (const length of [17_000, 40_000]) {
      assert.equal((await server.api(`GET /version?x=${'x'.repeat(length)}`)).status, 414, `${length}`);
    }
    assert.equal((await server.api(`GET /version?x=${'x'.repeat(16_000)}`)).status, 200);
  });

  it('receive 410 for API v3', async () => {
    for (const path of ['/api/v3/projects', '/api/v3', '/api/v3?x=1']) {
      const answer = await fetch(server.url + path);
      const expected = { error: 'API V3 is no longer supported. Use API V4 instead.' };
      assert.deepEqual([answer.status, await answer.json()], [410, expected], path);
    }
    assert.equal((await fetch(`${server.url}/api/v31/projects`)).status, 404);
  });

  it('support X-HTTP-Method-Override', async () => {
    const group = `/groups/${id}`;
    const send = (method: string, call: string, json: object) =>
      server.api(call, { json, headers: { 'x-http-method-override': method } });
    const changed = await send('put', `POST ${group}`, { description: 'changed' });
    assert.deepEqual([changed.status, changed.body.description], [200, 'changed']);
    for (const [method, call] of [
      ['TRACE', `POST ${group}`],
      ['PATCH', `POST ${group}`],
      ['DELETE', `PATCH ${group}`],
    ] as const) {
      assert.equal((await send(method, call, {})).status, 405, method);
    }
    assert.equal((await server.must(`GET ${group}`)).marked_for_deletion_on, null);
  });

  it('support CORS', async () => {
    const headers = { origin: 'https://elsewhere.example', 'access-control-request-headers': 'private-token' };
    const preflight = await server.api('OPTIONS /version', { token: null, headers });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get('access-control-allow-origin'), '*');
    assert.equal(preflight.headers.get('access-control-allow-headers'), 'private-token');
    const answer = await server.api('GET /version', { headers });
    assert.equal(answer.headers.get('access-control-allow-origin'), '*');
    assert.match(answer.headers.get('access-control-expose-headers') ?? '', /X-Total-Pages/);
  });

  const label = { name: 'a label', color: '#ff0000' };
  const encodings: [string, string, string | FormData][] = [
    ['JSON', 'application/json', JSON.stringify(label)],
    ['a form', 'application/x-www-form-urlencoded', 'name=a+label&color=%23ff0000'],
    ['multipart', '', form(label)],
  ];
  for (const [name, type, body] of encodings) {
    it(`accept ${name}`, async () => {
      const headers: Record<string, string> = type ? { 'content-type': type } : {};
      for (const suffix of ['', '.json']) {
        const answer = await server.api(`POST /groups/${id}/labels${suffix}`, { body, headers });
        assert.equal(answer.status, 201, answer.text);
        await server.must(`DELETE /groups/${id}/labels/a%20label`);
      }
    });
  }

  it('accept gzip bodies', async () => {
    const body = gzipSync(JSON.stringify(label));
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    for (const suffix of ['', '.json']) {
      const answer = await server.api(`POST /groups/${id}/labels${suffix}`, { body, headers });
      assert.equal(answer.status, 201, answer.text);
      await server.must(`DELETE /groups/${id}/labels/a%20label`);
    }
    const broken = await server.api(`POST /groups/${id}/labels`, { body: 'no gzip', headers });
    assert.equal(broken.status, 400, broken.text);
  });

  it('handle truncated, malformed, compressed and oversized multipart bodies', async () => {
    const type = 'multipart/form-data; boundary=x';
    const part = (name: string, value: string) =>
      `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const send = (body: string | Buffer, headers: Record<string, string>) =>
      server.api(`POST /groups/${id}/labels`, { body, headers });
    const whole = `${part('name', 'a label')}${part('color', '#ff0000')}--x--\r\n`;
    const invalid = { error: 'Invalid multipart body' };
    const cut = await send(whole.slice(0, -20), { 'content-type': type });
    assert.deepEqual([cut.status, cut.body], [400, invalid]);
    const unbounded = await send(whole, { 'content-type': 'multipart/form-data' });
    assert.deepEqual([unbounded.status, unbounded.body], [400, invalid]);
    const large = await send(`${part('name', 'x'.repeat(11 * 1024 * 1024))}--x--\r\n`, { 'content-type': type });
    assert.equal(large.status, 413, large.text);
    const odd = await send(`${part('__proto__[admin]', '1')}${whole}`, { 'content-type': type });
    assert.equal(odd.status, 201, odd.text);
    await server.must(`DELETE /groups/${id}/labels/a%20label`);
    const compressed = await send(gzipSync(whole), { 'content-type': type, 'content-encoding': 'gzip' });
    assert.equal(compressed.status, 201, compressed.text);
    await server.must(`DELETE /groups/${id}/labels/a%20label`);
  });

  it('accept an empty body declared as JSON', async () => {
    const headers = { 'content-type': 'application/json' };
    assert.equal((await server.api('GET /version', { headers })).status, 200);
    const missing = await server.api(`POST /groups/${id}/labels`, { body: '', headers });
    assert.deepEqual([missing.status, missing.body], [400, { error: 'name is missing, color is missing' }]);
  });

  it('are rejected if the body is invalid, of an unsupported type or too large', async () => {
    const send = (type: string, body: string) =>
      server.api(`POST /groups/${id}/labels`, { body, headers: { 'content-type': type } });
    const broken = await send('application/json', '{"name":');
    assert.deepEqual([broken.status, broken.body], [400, { error: 'Invalid JSON format' }]);
    const other = await send('text/xml', '<label/>');
    assert.deepEqual(
      [other.status, other.body],
      [415, { error: "The provided content-type 'text/xml' is not supported." }],
    );
    const large = await send('application/json', JSON.stringify({ name: 'x'.repeat(11 * 1024 * 1024) }));
    assert.deepEqual([large.status, large.body], [413, { message: '413 Request Entity Too Large' }]);
  });

  it('are rejected if a path segment is too long', async () => {
    const answer = await server.api(`GET /projects/${'a'.repeat(9000)}`);
    assert.deepEqual([answer.status, answer.body], [414, { message: '414 Request-URI Too Long' }]);
  });

  it('receive a plain text 400 for invalid UTF-8 or NUL', async () => {
    for (const path of ['/groups/%00', '/groups?search=%00', '/groups?search=%ff']) {
      const answer = await server.api(`GET ${path}`);
      assert.deepEqual([answer.status, answer.text], [400, 'Bad Request'], path);
      assert.match(answer.headers.get('content-type') ?? '', /^text\/plain/);
    }
  });

  it('authenticate in each of the documented ways', async () => {
    const ways: [string, Record<string, string>][] = [
      ['/version', { 'private-token': rootToken }],
      ['/version', { 'PRIVATE-TOKEN': rootToken }],
      ['/version', { authorization: `Bearer ${rootToken}` }],
      [`/version?private_token=${rootToken}`, {}],
      [`/version?access_token=${rootToken}`, {}],
    ];
    for (const [path, headers] of ways) {
      assert.equal((await server.api(`GET ${path}`, { token: null, headers })).status, 200, path);
    }
    const both = await server.api('GET /version?private_token=wrong', {});
    assert.equal(both.status, 401, 'the parameter takes precedence over the header');
  });
});

function form(fields: Record<string, string>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.append(name, value);
  return data;
}
