import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { before, beforeEach, describe, it } from 'node:test';
import { Role } from '../../../src/access/roles.ts';
import { atOnce } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';
import { basic, descriptor, image, imageType, indexType, RegistryClient, sha256 } from '../registry/registry-client.ts';
import { startUpstream, type Upstream } from './upstream.ts';

const manifests = (tag: string, image = 'alpine') => `/v2/house/dependency_proxy/containers/${image}/manifests/${tag}`;
const blobs = (digest: string, image = 'alpine') => `/v2/house/dependency_proxy/containers/${image}/blobs/${digest}`;

forEachEngine((engine) => {
  describe('dependency proxy pulls', () => {
    let upstream: Upstream;
    let server: TestServer;
    let group: number;
    let guest: RegistryClient;
    let token: string;

    const files = async () => {
      const place = join(server.running.services.config.data, 'storage', 'dependency-proxy');
      const found = await readdir(place, { recursive: true, withFileTypes: true }).catch(() => []);
      return found.filter((one) => one.isFile()).length;
    };
    const kept = () => server.must(`GET /groups/${group}/dependency_proxy`);
    const given = () => upstream.given.splice(0);

    before(async () => {
      upstream = await startUpstream();
      server = await startTestServer(engine, ['--dependency-proxy-url', upstream.url, '--allow-local-egress']);
      group = (await server.must('POST /groups', { json: { name: 'House', path: 'house' } })).id;
      const person = await addPerson(server, 'guest');
      token = person.token;
      await server.must(`POST /groups/${group}/members`, {
        json: { user_id: person.user.id, access_level: Role.guest },
      });
      guest = new RegistryClient(server.url, basic('me', token));
    });

    beforeEach(() => {
      upstream.before = () => undefined;
      upstream.account = undefined;
      given();
    });

    it('serves images of the upstream registry and caches them', async () => {
      const layer = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));
      const digest = upstream.push('library/alpine', '3', layer);
      const first = await guest.call(`GET ${manifests('3')}`);
      assert.equal(first.status, 200, first.text);
      assert.deepEqual(
        [first.headers.get('content-type'), first.text],
        [imageType, JSON.stringify(image('{}', layer))],
      );
      assert.equal(first.headers.get('docker-content-digest'), digest);
      assert.equal(first.headers.get('etag'), `"${digest}"`);
      assert.deepEqual(given(), ['HEAD library/alpine/manifests/3', 'GET library/alpine/manifests/3']);
      const again = await guest.call(`GET ${manifests('3')}`);
      assert.equal(again.text, first.text);
      assert.deepEqual(given(), ['HEAD library/alpine/manifests/3']);
      assert.equal((await guest.call(`GET ${manifests(digest)}`)).text, first.text);
      assert.equal(
        (await guest.call(`HEAD ${manifests(digest)}`)).headers.get('content-length'),
        `${first.text.length}`,
      );
      assert.deepEqual(given(), []);
      const at = `/v2/house/dependency_proxy/containers/alpine/blobs/${sha256(layer)}`;
      const head = await guest.call(`HEAD ${at}`);
      assert.deepEqual([head.status, head.headers.get('content-length')], [200, '300000']);
      const { token: bearer } = await guest.token('repository:house/dependency_proxy/containers/alpine:pull');
      const pull = async () =>
        Buffer.from(
          await (await fetch(server.url + at, { headers: { authorization: `Bearer ${bearer}` } })).arrayBuffer(),
        );
      assert.ok((await pull()).equals(layer));
      assert.deepEqual(given(), [
        `HEAD library/alpine/blobs/${sha256(layer)}`,
        `GET library/alpine/blobs/${sha256(layer)}`,
      ]);
      assert.ok((await pull()).equals(layer));
      const part = await guest.call(`GET ${at}`, { headers: { range: 'bytes=10-12' } });
      assert.deepEqual([part.status, [...Buffer.from(part.text)]], [206, [10, 11, 12]]);
      assert.deepEqual(given(), []);
      const { image_count, blob_count, total_size } = await kept();
      assert.deepEqual([image_count, blob_count, total_size], [1, 1, 300_000 + first.text.length]);
    });

    it('follows moved tags, and supports nested image names and image indexes', async () => {
      const old = upstream.push('team/tool', '1', 'old');
      const name = 'team/tool';
      assert.equal((await guest.call(`HEAD ${manifests('1', name)}`)).headers.get('docker-content-digest'), old);
      const fresh = upstream.push('team/tool', '1', 'fresh');
      assert.equal((await guest.call(`HEAD ${manifests('1', name)}`)).headers.get('docker-content-digest'), fresh);
      assert.equal((await guest.call(`GET ${manifests(old, name)}`)).status, 200);
      const one = { ...descriptor(JSON.stringify(image('{}', 'fresh')), imageType), platform: { os: 'linux' } };
      const list = JSON.stringify({ schemaVersion: 2, mediaType: indexType, manifests: [one] });
      upstream.pushManifest('team/tool', 'many', list, indexType);
      const got = await guest.call(`GET ${manifests('many', name)}`);
      assert.deepEqual([got.text, got.headers.get('content-type')], [list, indexType]);
      assert.equal((await guest.call(`GET ${manifests('none', name)}`)).code, 'MANIFEST_UNKNOWN');
      assert.equal((await guest.call(`GET ${blobs(sha256('none'), name)}`)).code, 'BLOB_UNKNOWN');
    });

    it('forwards the Accept header', async () => {
      upstream.push('library/asked', '1');
      const seen: unknown[] = [];
      upstream.before = ({ headers, url }) => {
        if (url?.includes('/manifests/')) seen.push(headers.accept);
        return undefined;
      };
      await guest.call(`HEAD ${manifests('1', 'asked')}`, { headers: { accept: 'application/x-odd, */*' } });
      assert.ok(seen.length > 0 && seen.every((one) => one === 'application/x-odd, */*'), `${seen}`);
    });

    it('serves cached images while the upstream registry is unavailable or rate limited', async () => {
      const digest = upstream.push('library/steady', '1');
      assert.equal((await guest.call(`GET ${manifests('1', 'steady')}`)).status, 200);
      const status =
        (code: number, headers = {}): Upstream['before'] =>
        (_, response) => {
          response.writeHead(code, headers).end();
          return true;
        };
      const cutOff: Upstream['before'] = ({ socket }) => {
        socket.destroy();
        return true;
      };
      const wrong: [string, Upstream['before'], number, string][] = [
        ['500', status(500), 503, 'UNAVAILABLE'],
        ['429', status(429, { 'retry-after': '9' }), 429, 'TOOMANYREQUESTS'],
        ['cut off', cutOff, 503, 'UNAVAILABLE'],
      ];
      for (const [what, goWrong, answered, code] of wrong) {
        upstream.before = goWrong;
        const got = await guest.call(`HEAD ${manifests('1', 'steady')}`);
        assert.deepEqual([got.status, got.headers.get('docker-content-digest')], [200, digest], what);
        const unknown = await guest.call(`GET ${manifests('2', 'steady')}`);
        assert.deepEqual([unknown.status, unknown.code], [answered, code], what);
        if (what === '429') assert.equal(unknown.headers.get('retry-after'), '9');
        assert.deepEqual((await guest.call(`GET ${blobs(sha256('layer of 1'), 'steady')}`)).status, answered, what);
        const odd = await guest.call(`HEAD ${manifests('1', 'steady')}`, { headers: { accept: 'application/x-odd' } });
        assert.equal(odd.status, answered, what);
      }
      upstream.before = () => undefined;
      upstream.remove('library/steady/manifests/1');
      assert.equal((await guest.call(`GET ${manifests('1', 'steady')}`)).code, 'MANIFEST_UNKNOWN');
    });

    it('does not cache invalid content', async () => {
      upstream.push('library/bad', '1', 'good layer');
      const digest = sha256('good layer');
      const held = await kept();
      const stored = await files();
      const isBlob = (url: string | undefined) => url?.includes('/blobs/') === true;
      const body =
        (length: number, text: string): Upstream['before'] =>
        (request, response) => {
          if (!isBlob(request.url) || !request.headers.authorization) return undefined;
          response.writeHead(200, { 'content-length': length });
          response.write(text, () => (text.length < length ? response.destroy() : response.end()));
          return true;
        };
      upstream.before = body(10, 'evil layer');
      const evil = await guest.call(`GET ${blobs(digest, 'bad')}`);
      assert.deepEqual([evil.status, evil.code], [502, 'DIGEST_INVALID']);
      upstream.before = body(10, 'good');
      const short = await guest.call(`GET ${blobs(digest, 'bad')}`);
      assert.deepEqual([short.status, short.code], [503, 'UNAVAILABLE']);
      const long = 'x'.repeat(2_000_000);
      upstream.before = body(long.length, long);
      await assert.rejects(guest.call(`GET ${blobs(digest, 'bad')}`), 'the response is truncated');
      const other = JSON.stringify(image('{}', 'other'));
      for (const text of [other, '{"schemaVersion":2}', 'no json', `{"a":"${'x'.repeat(5_000_000)}"}`]) {
        upstream.before = (request, response) => {
          if (!request.url?.includes('/manifests/') || !request.headers.authorization) return undefined;
          response.writeHead(200, { 'content-type': imageType }).end(request.method === 'HEAD' ? undefined : text);
          return true;
        };
        const got = await guest.call(`GET ${manifests(sha256('wanted'), 'bad')}`);
        assert.ok(got.status === 502 || got.status === 413, `${got.status} ${text.slice(0, 30)}`);
      }
      const { image_count, blob_count } = await kept();
      assert.deepEqual([image_count, blob_count], [held.image_count, held.blob_count]);
      assert.equal(await files(), stored);
      upstream.before = () => undefined;
      assert.equal((await guest.call(`GET ${blobs(digest, 'bad')}`)).text, 'good layer');
    });

    it('discards an interrupted download and serves the blob to later clients', async () => {
      const layer = Buffer.alloc(3_000_000, 7);
      upstream.push('library/long', '1', layer);
      const digest = sha256(layer);
      let cut = false;
      upstream.before = (request, response) => {
        if (!request.url?.includes('/blobs/') || !request.headers.authorization) return undefined;
        response.on('close', () => (cut = true));
        response.writeHead(200, { 'content-length': layer.length });
        response.write(layer.subarray(0, 2_000_000));
        return true;
      };
      const { token: bearer } = await guest.token('repository:house/dependency_proxy/containers/long:pull');
      await new Promise<void>((resolve) => {
        const requested = get(server.url + blobs(digest, 'long'), { headers: { authorization: `Bearer ${bearer}` } });
        requested.on('response', (response) => response.once('data', () => requested.destroy()));
        requested.on('error', () => undefined);
        requested.on('close', resolve);
      });
      await until(() => cut);
      upstream.before = () => undefined;
      const stored = await files();
      const got = await atOnce(4, () => guest.call(`GET ${blobs(digest, 'long')}`));
      assert.ok(got.every(({ status, text }) => status === 200 && text.length === layer.length));
      assert.ok((await files()) > stored);
      const { blob_count } = await kept();
      given();
      assert.equal((await guest.call(`GET ${blobs(digest, 'long')}`)).text.length, layer.length);
      assert.deepEqual(given(), []);
      assert.equal((await kept()).blob_count, blob_count);
    });

    it('authenticates with the credentials of the group', async () => {
      upstream.push('secret/tool', '1');
      upstream.account = 'robot:pass word';
      const refused = await guest.call(`GET ${manifests('1', 'secret/tool')}`);
      assert.deepEqual([refused.status, refused.code], [403, 'DENIED']);
      const json = { identity: 'robot', secret: 'pass word' };
      const set = await server.must(`PUT /groups/${group}/dependency_proxy`, { json });
      assert.equal(set.identity, 'robot');
      assert.ok(!JSON.stringify(set).includes('pass word'));
      assert.equal((await guest.call(`GET ${manifests('1', 'secret/tool')}`)).status, 200);
      await server.must(`PUT /groups/${group}/dependency_proxy`, { json: { identity: '', secret: '' } });
      assert.equal((await guest.call(`GET ${blobs(sha256('layer of 1'), 'secret/tool')}`)).code, 'DENIED');
    });

    it('rejects pushes and invalid names', async () => {
      const name = 'house/dependency_proxy/containers/alpine';
      const { token: bearer } = await guest.token(`repository:${name}:pull,push`);
      const headers = { authorization: `Bearer ${bearer}` };
      assert.equal((await guest.plain(`PUT /v2/${name}/manifests/1`, { headers, body: '{}' })).code, 'UNSUPPORTED');
      assert.equal((await guest.plain(`DELETE /v2/${name}/manifests/1`, { headers })).code, 'UNSUPPORTED');
      assert.equal((await guest.plain(`POST /v2/${name}/blobs/uploads/`, { headers })).status, 401);
      assert.equal((await guest.plain(`GET /v2/${name}/tags/list`, { headers })).status, 401);
      assert.equal((await guest.call(`GET ${manifests('1', 'UPPER')}`)).code, 'NAME_INVALID');
      assert.equal((await guest.call(`GET ${manifests('1', '..%2fx')}`)).code, 'NAME_INVALID');
      assert.equal((await guest.call(`GET ${manifests('a%20b')}`)).code, 'TAG_INVALID');
      assert.equal((await guest.call(`GET ${blobs('sha256:1')}`)).code, 'DIGEST_INVALID');
      assert.deepEqual(given(), []);
    });

    it('downloads a blob again if its file is missing', async () => {
      upstream.push('library/lost', '1', 'lost layer');
      const at = `GET ${blobs(sha256('lost layer'), 'lost')}`;
      await guest.call(at);
      const { storage_key } = await server.db.read
        .selectFrom('dependency_proxy_blobs')
        .select('storage_key')
        .where('digest', '=', sha256('lost layer'))
        .executeTakeFirstOrThrow();
      await server.running.services.storage.delete(storage_key);
      assert.equal((await guest.call(at)).text, 'lost layer');
      given();
      assert.equal((await guest.call(at)).text, 'lost layer');
      assert.deepEqual(given(), []);
    });
  });
});
