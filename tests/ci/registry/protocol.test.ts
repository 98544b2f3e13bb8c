import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { atOnce, inRounds } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';
import { basic, descriptor, image, imageType, indexType, RegistryClient, sha256 } from './registry-client.ts';

forEachEngine((engine) => {
  describe('container registry', () => {
    let place: ProjectWithRoles;
    let name: string;
    let owner: RegistryClient;
    let developer: RegistryClient;
    const files = async () => {
      const entries = await readdir(join(place.server.running.services.config.data, 'storage'), {
        recursive: true,
        withFileTypes: true,
      });
      return entries.filter((one) => one.isFile()).length;
    };
    const settled = () => place.server.running.services.queue.drain();

    before(async () => {
      place = await projectWithRoles(engine, 'Images');
      name = `${place.owner.user.username}/images`;
      owner = new RegistryClient(place.server.url, basic('whoever', place.owner.token));
      developer = new RegistryClient(place.server.url, basic('whoever', place.developer.token));
    });

    it('announces the token endpoint', async () => {
      const response = await owner.plain('GET /v2/');
      assert.deepEqual([response.status, response.code], [401, 'UNAUTHORIZED']);
      assert.equal(response.headers.get('docker-distribution-api-version'), 'registry/2.0');
      assert.equal(
        response.headers.get('www-authenticate'),
        `Bearer realm="${place.server.url}/jwt/auth",service="container_registry"`,
      );
      const pushed = await owner.plain(`POST /v2/${name}/blobs/uploads/`);
      assert.match(pushed.headers.get('www-authenticate') ?? '', new RegExp(`,scope="repository:${name}:pull,push"$`));
      const { token } = await owner.token();
      const authorization = `Bearer ${token}`;
      assert.equal((await owner.plain('GET /v2/', { headers: { authorization } })).status, 200);
      const poor = await owner.plain(`GET /v2/${name}/tags/list`, { headers: { authorization } });
      assert.equal(poor.status, 401);
      assert.match(poor.headers.get('www-authenticate') ?? '', /error="insufficient_scope"/);
      const wrong = await owner.plain('GET /v2/', { headers: { authorization: `Bearer ${place.owner.token}` } });
      assert.match(wrong.headers.get('www-authenticate') ?? '', /error="invalid_token"/);
    });

    it('stores and returns images', async () => {
      const layer = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));
      const digest = await developer.pushImage(name, 'v1', layer);
      const head = await developer.call(`HEAD /v2/${name}/manifests/v1`);
      assert.deepEqual([head.status, head.headers.get('docker-content-digest')], [200, digest]);
      const got = await developer.call(`GET /v2/${name}/manifests/${digest}`);
      assert.deepEqual([got.text, got.headers.get('content-type')], [JSON.stringify(image('{}', layer)), imageType]);
      const blob = `/v2/${name}/blobs/${sha256(layer)}`;
      const there = await developer.call(`HEAD ${blob}`);
      assert.deepEqual([there.status, there.headers.get('content-length')], [200, '300000']);
      assert.equal(sha256(Buffer.from((await developer.call(`GET ${blob}`)).text, 'latin1')).length, 71);
      const part = await developer.call(`GET ${blob}`, { headers: { range: 'bytes=10-19' } });
      assert.deepEqual([part.status, part.headers.get('content-range')], [206, 'bytes 10-19/300000']);
      assert.deepEqual([...Buffer.from(part.text)], [10, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
      const beyond = await developer.call(`GET ${blob}`, { headers: { range: 'bytes=300000-' } });
      assert.deepEqual([beyond.status, beyond.headers.get('content-range')], [416, 'bytes */300000']);
      assert.equal((await developer.call(`GET /v2/${name}/blobs/${sha256('nothing')}`)).code, 'BLOB_UNKNOWN');
      assert.equal((await developer.call(`GET /v2/${name}/manifests/nothing`)).code, 'MANIFEST_UNKNOWN');
      const { statistics } = (await place.asOwner(`GET ${place.base}?statistics=true`)).body;
      assert.equal(statistics.container_registry_size, 300_002);
    });

    it('assembles a blob from chunks sent in order', async () => {
      const started = await developer.call(`POST /v2/${name}/blobs/uploads/`);
      const at = started.headers.get('location') ?? '';
      const send = (body: string, range: string) =>
        developer.call(`PATCH ${at}`, { body, headers: { 'content-range': range } });
      const first = await send('abc', '0-2');
      assert.deepEqual([first.status, first.headers.get('range')], [202, '0-2']);
      const gap = await send('xyz', '5-7');
      assert.deepEqual([gap.status, gap.code, gap.headers.get('range')], [416, 'RANGE_INVALID', '0-2']);
      assert.equal((await send('de', '3-9')).status, 416);
      assert.equal((await send('def', '3-5')).headers.get('range'), '0-5');
      const status = await developer.call(`GET ${at}`);
      assert.deepEqual([status.status, status.headers.get('range')], [204, '0-5']);
      const wrong = await developer.call(`PUT ${at}?digest=${sha256('other')}`, { body: 'gh' });
      assert.deepEqual([wrong.status, wrong.code], [400, 'DIGEST_INVALID']);
      const right = await developer.call(`PUT ${at}?digest=${sha256('abcdefgh')}`, { body: 'gh' });
      assert.equal(right.status, 201, right.text);
      assert.equal((await developer.call(`GET ${right.headers.get('location')}`)).text, 'abcdefgh');
      assert.equal((await developer.call(`GET ${at}`)).code, 'BLOB_UPLOAD_UNKNOWN');
    });

    it('accepts a blob in one request and stores identical bytes once', async () => {
      await settled();
      const before = await files();
      const digest = sha256('whole');
      const post = () => developer.call(`POST /v2/${name}/blobs/uploads/?digest=${digest}`, { body: 'whole' });
      assert.deepEqual([(await post()).status, (await post()).status], [201, 201]);
      const wrong = await developer.call(`POST /v2/${name}/blobs/uploads/?digest=${sha256('no')}`, { body: 'whole' });
      assert.deepEqual([wrong.status, wrong.code], [400, 'DIGEST_INVALID']);
      assert.equal((await developer.call(`HEAD /v2/${name}/blobs/${sha256('no')}`)).status, 404);
      await developer.pushBlob(name, 'whole');
      await settled();
      assert.equal(await files(), before + 1);
      const odd = await developer.call(`POST /v2/${name}/blobs/uploads/?digest=md5:1`, { body: 'whole' });
      assert.equal(odd.code, 'DIGEST_INVALID');
    });

    it('deletes a cancelled upload with its chunks', async () => {
      await settled();
      const before = await files();
      const started = await developer.call(`POST /v2/${name}/blobs/uploads/`);
      const at = started.headers.get('location') ?? '';
      assert.equal((await developer.call(`PATCH ${at}`, { body: 'bytes' })).status, 202);
      assert.equal(await files(), before + 1);
      assert.equal((await developer.call(`PATCH ${at.replace(/.{4}$/, '0000')}`, { body: 'b' })).status, 404);
      const elsewhere = at.replace(name, `${name}/other`);
      assert.equal((await developer.call(`PATCH ${elsewhere}`, { body: 'b' })).code, 'BLOB_UPLOAD_UNKNOWN');
      assert.equal((await developer.call(`DELETE ${at}`)).status, 204);
      assert.equal((await developer.call(`DELETE ${at}`)).status, 404);
      await settled();
      assert.equal(await files(), before);
    });

    it('accepts each of several concurrent chunks at most once', async () => {
      await inRounds(async (round) => {
        const started = await developer.call(`POST /v2/${name}/blobs/uploads/`);
        const at = started.headers.get('location') ?? '';
        const sent = await atOnce(4, (index) => developer.call(`PATCH ${at}`, { body: `${round}${index}` }));
        const won = sent.filter(({ status }) => status === 202).length;
        const range = (await developer.call(`GET ${at}`)).headers.get('range');
        assert.equal(range, `0-${won * 2 - 1}`);
        assert.ok(sent.every(({ status }) => status === 202 || status === 416));
      });
    });

    it('rejects invalid manifests and missing references', async () => {
      await developer.pushBlob(name, '{}');
      await developer.pushBlob(name, 'layer');
      const good = image('{}', 'layer');
      const put = async (manifest: object | string, type?: string, reference = 'bad') => {
        const { status, code } = await developer.putManifest(name, reference, manifest, type);
        return [status, code];
      };
      const invalid = [400, 'MANIFEST_INVALID'];
      const cases: readonly [object | string, string?][] = [
        ['{'],
        ['[]'],
        [{ ...good, schemaVersion: 1 }],
        [{ ...good, mediaType: indexType }],
        [good, 'text/html'],
        [good, indexType],
        [{ ...good, manifests: [] }],
        [{ ...good, config: undefined }],
        [{ ...good, layers: {} }],
        [{ ...good, layers: [{ digest: 'sha256:../../etc', size: 1 }] }],
        [{ ...good, layers: [{ digest: sha256('layer'), size: -1 }] }],
        [{ ...good, layers: Array.from({ length: 1001 }, () => good.layers[0]) }],
        [{ ...good, subject: 'x' }],
      ];
      for (const [manifest, type] of cases)
        assert.deepEqual(await put(manifest, type), invalid, JSON.stringify(manifest));
      const missing = [404, 'MANIFEST_BLOB_UNKNOWN'];
      assert.deepEqual(await put(image('{}', 'not there')), missing);
      const list = { schemaVersion: 2, mediaType: indexType, manifests: [descriptor('not there', imageType)] };
      assert.deepEqual(await put(list, indexType), missing);
      assert.deepEqual(await put(good, imageType, sha256('other')), [400, 'DIGEST_INVALID']);
      assert.deepEqual(await put(good, imageType, '-tag'), [400, 'TAG_INVALID']);
      assert.deepEqual(await put(good, imageType, 'a'.repeat(129)), [400, 'TAG_INVALID']);
      assert.deepEqual(await put(`${JSON.stringify(good)}${' '.repeat(4 * 1024 * 1024)}`), [413, 'SIZE_INVALID']);
      const streamed = new Blob([JSON.stringify(good), ' '.repeat(5 * 1024 * 1024)]).stream();
      const drip = await developer.call(`PUT /v2/${name}/manifests/bad`, {
        body: streamed,
        headers: { 'content-type': imageType },
      });
      assert.equal(drip.status, 413);
      assert.ok(!(await developer.tags(name)).includes('bad'));
      assert.deepEqual(await put(`  ${JSON.stringify(good)}\n`), [201, undefined]);
      assert.equal((await developer.call(`GET /v2/${name}/manifests/bad`)).text, `  ${JSON.stringify(good)}\n`);
    });

    it('serves the linux/amd64 image to clients without index support', async () => {
      const repository = `${name}/multi`;
      const amd = await developer.pushImage(repository, 'amd', 'amd');
      const arm = await developer.pushImage(repository, 'arm', 'arm');
      const size = Buffer.byteLength(JSON.stringify(image('{}', 'amd')));
      const manifests = [
        { mediaType: imageType, digest: arm, size, platform: { os: 'linux', architecture: 'arm64' } },
        { mediaType: imageType, digest: amd, size, platform: { os: 'linux', architecture: 'amd64' } },
      ];
      const list = { schemaVersion: 2, mediaType: indexType, manifests };
      assert.equal((await developer.putManifest(repository, 'all', list, indexType)).status, 201);
      const get = async (accept: string, reference = 'all') => {
        const said = await developer.call(`GET /v2/${repository}/manifests/${reference}`, { headers: { accept } });
        return [said.status, said.headers.get('docker-content-digest')];
      };
      const listed = sha256(JSON.stringify(list));
      assert.deepEqual(await get(`${indexType}, ${imageType}`), [200, listed]);
      assert.deepEqual(await get('*/*'), [200, listed]);
      assert.deepEqual(await get(imageType), [200, amd]);
      assert.deepEqual(await get(imageType, listed), [404, null]);
      assert.deepEqual(await get('text/plain'), [404, null]);
      const used = await owner.call(`DELETE /v2/${repository}/manifests/${amd}`);
      assert.deepEqual([used.status, used.code], [409, 'MANIFEST_REFERENCED_IN_LIST']);
    });

    it('lists tags with pagination', async () => {
      const repository = `${name}/paged`;
      for (const tag of ['b', 'a', 'c', 'A', '1']) await developer.pushImage(repository, tag, 'same');
      assert.deepEqual(await developer.tags(repository), ['1', 'A', 'a', 'b', 'c']);
      const page = await developer.call(`GET /v2/${repository}/tags/list?n=2&last=A`);
      assert.deepEqual(JSON.parse(page.text), { name: repository, tags: ['a', 'b'] });
      assert.equal(page.headers.get('link'), `</v2/${repository}/tags/list?n=2&last=b>; rel="next"`);
      assert.equal((await developer.call(`GET /v2/${repository}/tags/list?n=2&last=b`)).headers.get('link'), null);
      assert.equal((await developer.call(`GET /v2/${repository}/tags/list?n=x`)).code, 'PAGINATION_NUMBER_INVALID');
      assert.deepEqual(JSON.parse((await developer.call(`GET /v2/${repository}/tags/list?n=0`)).text).tags, []);
      assert.equal((await developer.call(`GET /v2/${name}/never/tags/list`)).code, 'NAME_UNKNOWN');
    });

    it('lists referrers of a manifest', async () => {
      const repository = `${name}/signed`;
      const subject = await developer.pushImage(repository, 'v1');
      await developer.pushBlob(repository, 'signature');
      const about = { mediaType: imageType, digest: subject, size: 1 };
      const signature = image('{}', 'signature', {
        subject: about,
        artifactType: 'application/example',
        annotations: { by: 'me' },
      });
      const body = JSON.stringify(signature);
      const put = await developer.putManifest(repository, sha256(body), body);
      assert.deepEqual([put.status, put.headers.get('oci-subject')], [201, subject]);
      const get = async (query = '') => {
        const said = await developer.call(`GET /v2/${repository}/referrers/${subject}${query}`);
        return { ...said, list: JSON.parse(said.text) };
      };
      const all = await get();
      assert.equal(all.headers.get('content-type'), indexType);
      assert.deepEqual(all.list.manifests, [
        {
          mediaType: imageType,
          digest: sha256(body),
          size: body.length,
          artifactType: 'application/example',
          annotations: { by: 'me' },
        },
      ]);
      const filtered = await get('?artifactType=other');
      assert.deepEqual([filtered.list.manifests, filtered.headers.get('oci-filters-applied')], [[], 'artifactType']);
      const none = await developer.call(`GET /v2/${repository}/referrers/${sha256('none')}`);
      assert.deepEqual(JSON.parse(none.text).manifests, []);
    });

    it('lets Maintainers delete tags and manifests', async () => {
      const repository = `${name}/gone`;
      const digest = await developer.pushImage(repository, 'one', 'x');
      await developer.pushImage(repository, 'two', 'x');
      await developer.pushImage(repository, 'three', 'y');
      assert.equal((await developer.call(`DELETE /v2/${repository}/manifests/one`)).status, 401);
      assert.equal((await owner.call(`DELETE /v2/${repository}/manifests/one`)).status, 202);
      assert.equal((await owner.call(`DELETE /v2/${repository}/manifests/one`)).code, 'MANIFEST_UNKNOWN');
      assert.equal((await owner.call(`GET /v2/${repository}/manifests/two`)).status, 200);
      assert.equal((await owner.call(`DELETE /v2/${repository}/manifests/${digest}`)).status, 202);
      assert.deepEqual(await owner.tags(repository), ['three']);
      assert.equal((await owner.call(`DELETE /v2/${repository}/blobs/${sha256('y')}`)).code, 'UNSUPPORTED');
      assert.equal((await owner.call('GET /v2/_catalog')).status, 404);
    });

    it('keeps the last of several concurrent pushes to a tag', async () => {
      const repository = `${name}/raced`;
      await inRounds(async (round) => {
        const layers = Array.from({ length: 4 }, (_, index) => `${round}-${index}`);
        const digests = await Promise.all(layers.map((layer) => developer.pushImage(repository, 'tag', layer)));
        const { headers } = await developer.call(`HEAD /v2/${repository}/manifests/tag`);
        assert.ok(digests.includes(headers.get('docker-content-digest') ?? ''));
        assert.deepEqual(await developer.tags(repository), ['tag']);
      });
    });

    it('accepts up to two segments after the project path and rejects malformed names', async () => {
      assert.equal(await developer.pushImage(`${name}/a/b`, 'x').then(() => true), true);
      const refused = async (path: string) => {
        const { token } = await developer.token(`repository:${name}:pull,push`);
        return developer.plain(`POST /v2/${path}/blobs/uploads/`, { headers: { authorization: `Bearer ${token}` } });
      };
      assert.equal((await refused(`${name}/a/b/c`)).status, 401);
      assert.equal((await developer.token(`repository:${name}/a/b/c:push`)).status, 200);
      assert.equal((await developer.call(`POST /v2/${name}/a/b/c/blobs/uploads/`)).status, 401);
      for (const path of [
        `${name}//x`,
        `${name}/%2e%2e/x`,
        `${name}%2fx%00`,
        `${name}/-x`,
        'one',
        `${name.toUpperCase()}`,
      ]) {
        assert.ok([400, 401, 404].includes((await refused(path)).status), path);
      }
      assert.equal((await refused(`${name}/x%2f..`)).code, 'NAME_INVALID');
    });
  });
});
