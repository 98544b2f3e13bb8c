import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { atOnce } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';
import { addPerson } from '../../support/scene.ts';

type Headers = Record<string, string>;
const basic = (token: string) => ({ authorization: `Basic ${Buffer.from(`anybody:${token}`).toString('base64')}` });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const [one, two, built] = ['1', '2', '3'].map((digit) => digit.repeat(32)) as [string, string, string];
const reference = 'f'.repeat(40);
const info = '[settings]\n    os=Linux\n[options]\n    shared=False\n[requires]\n    zlib/1.2.11\n';
const known = { settings: { os: 'Linux' }, options: { shared: 'False' }, requires: { 'zlib/1.2.11': null } };

forEachEngine((engine) => {
  describe('Conan packages', () => {
    let place: ProjectWithRoles;
    let stranger: string;
    const base = () => `${place.server.url}/api/v4/projects/${place.project.id}/packages/conan`;
    const instance = () => `${place.server.url}/api/v4/packages/conan`;
    const rows = async (table: 'packages' | 'package_files' | 'conan_files') =>
      (await place.server.db.read.selectFrom(table).selectAll().execute()).length;

    async function call(method: string, url: string, headers: Headers = basic(place.developer.token), body?: string) {
      const answer = await fetch(url, { method, headers, ...(body !== undefined && { body }) });
      const text = await answer.text();
      const isJson = answer.headers.get('content-type')?.startsWith('application/json');
      return {
        status: answer.status,
        text,
        body: isJson && text ? JSON.parse(text) : undefined,
        headers: answer.headers,
      };
    }
    const get = (path: string, headers: Headers = basic(place.reporter.token)) =>
      call('GET', `${base()}/${path}`, headers);
    const put = (path: string, body: string, headers?: Headers) =>
      call(
        'PUT',
        `${base()}/${path}`,
        { 'content-type': 'application/octet-stream', ...(headers ?? basic(place.developer.token)) },
        body,
      );
    const remove = (path: string, headers = basic(place.owner.token)) => call('DELETE', `${base()}/${path}`, headers);
    const size = async () => (await place.asOwner(`GET ${place.base}?statistics=true`)).body.statistics.packages_size;

    before(async () => {
      place = await projectWithRoles(engine, 'recipes');
      stranger = (await addPerson(place.server, 'stranger')).token;
    });

    it('are accessed with a token exchanged for credentials', async () => {
      const pong = await get('v1/ping');
      assert.deepEqual([pong.status, pong.headers.get('x-conan-server-capabilities')], [200, 'revisions']);
      assert.equal((await get('v1/ping', {})).status, 401);
      assert.equal((await call('GET', `${instance()}/v1/ping`, {})).status, 200);
      for (const below of [`${base()}/v1`, `${base()}/v2`, `${instance()}/v1`]) {
        const sealed = (await call('GET', `${below}/users/authenticate`)).text;
        assert.ok(sealed.length > 20 && !sealed.includes(place.developer.token));
        assert.deepEqual((await call('GET', `${below}/users/check_credentials`, bearer(sealed))).text, 'ok');
        assert.equal((await call('GET', `${below}/users/authenticate`, bearer(sealed))).text, sealed);
        for (const wrong of [{}, basic('glpat-nonsense'), bearer(`${sealed}x`), bearer('nonsense')]) {
          assert.equal((await call('GET', `${below}/users/check_credentials`, wrong)).status, 401);
          assert.equal((await call('GET', `${below}/users/authenticate`, wrong)).status, 401);
        }
        const elsewhere = await fetch(`${place.server.url}/api/v4/user`, { headers: bearer(sealed) });
        assert.equal(elsewhere.status, 401);
      }
      assert.equal((await get('v2/users/authenticate', basic(stranger))).status, 404);
    });

    it('have revisions', async () => {
      const at = 'v2/conans/lamp/1.0/_/_';
      for (const revision of [one, two]) {
        const sent = await put(`${at}/revisions/${revision}/files/conanfile.py`, `recipe ${revision}`);
        assert.equal(sent.status, 200, sent.text);
        assert.equal(sent.body.file_sha256, hash('sha256', `recipe ${revision}`));
        await put(`${at}/revisions/${revision}/files/conanmanifest.txt`, 'manifest');
      }
      const packages = `${at}/revisions/${two}/packages/${reference}`;
      await put(`${packages}/revisions/${built}/files/conan_package.tgz`, 'bytes');
      await put(`${packages}/revisions/${built}/files/conaninfo.txt`, info);
      const { revision, time } = (await get(`${at}/latest`)).body;
      assert.equal(revision, two);
      assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+0000$/);
      const all = (await get(`${at}/revisions`)).body;
      assert.equal(all.reference, 'lamp/1.0@_/_');
      assert.deepEqual(
        all.revisions.map((each: { revision: string }) => each.revision),
        [two, one],
      );
      assert.deepEqual((await get(`${at}/revisions/${one}/files`)).body, {
        files: { 'conanfile.py': {}, 'conanmanifest.txt': {} },
      });
      const file = await get(`${at}/revisions/${one}/files/conanfile.py`);
      assert.deepEqual([file.text, file.headers.get('x-content-type-options')], [`recipe ${one}`, 'nosniff']);
      assert.equal((await get(`${packages}/latest`)).body.revision, built);
      const reported = (await get(`${packages}/revisions`)).body;
      assert.equal(reported.reference, `lamp/1.0@_/_#${two}:${reference}`);
      assert.deepEqual(Object.keys((await get(`${packages}/revisions/${built}/files`)).body.files), [
        'conan_package.tgz',
        'conaninfo.txt',
      ]);
      assert.equal((await get(`${packages}/revisions/${built}/files/conan_package.tgz`)).text, 'bytes');
      assert.deepEqual((await get(`${at}/search`)).body, { [reference]: known });
      assert.deepEqual((await get(`${at}/revisions/${two}/search`)).body, { [reference]: known });
      assert.deepEqual((await get(`${at}/revisions/${one}/search`)).body, {});
      const [listed] = (await place.asOwner(`GET ${place.base}/packages?package_type=conan`)).body;
      assert.deepEqual([listed.name, listed.version], ['lamp', '1.0']);
    });

    it('can be used without revisions, by the URLs the server returns', async () => {
      const at = `v1/conans/wick/1.0/me/stable`;
      assert.deepEqual((await get(at)).body, {});
      assert.equal((await get(`${at}/digest`)).status, 404);
      const json = { ...basic(place.developer.token), 'content-type': 'application/json' };
      const upload = async (path: string, files: Record<string, string>) => {
        const sizes = JSON.stringify(
          Object.fromEntries(Object.entries(files).map(([file, text]) => [file, text.length])),
        );
        const urls = await call('POST', `${base()}/${path}/upload_urls`, json, sizes);
        assert.equal(urls.status, 200, urls.text);
        for (const [file, url] of Object.entries(urls.body as Record<string, string>)) {
          assert.equal((await call('PUT', url, basic(place.developer.token), files[file])).status, 200);
        }
      };
      await upload(at, { 'conanfile.py': 'recipe', 'conanmanifest.txt': 'manifest' });
      await upload(`${at}/packages/${reference}`, { 'conaninfo.txt': info, 'conan_package.tgz': 'bytes' });
      assert.deepEqual((await get(at)).body, {
        'conanfile.py': hash('md5', 'recipe'),
        'conanmanifest.txt': hash('md5', 'manifest'),
      });
      for (const listing of ['digest', 'download_urls']) {
        const urls = (await get(`${at}/packages/${reference}/${listing}`)).body;
        assert.equal(
          urls['conaninfo.txt'],
          `${base()}/v1/files/wick/1.0/me/stable/0/package/${reference}/0/conaninfo.txt`,
        );
        assert.equal((await call('GET', urls['conaninfo.txt'])).text, info);
      }
      assert.deepEqual((await get(`${at}/search`)).body, { [reference]: known });
      const newest = (await get('v1/conans/lamp/1.0/_/_/download_urls')).body['conanfile.py'];
      assert.equal((await call('GET', newest)).text, `recipe ${two}`);
    });

    it('are searched by wildcard patterns', async () => {
      const found = async (q: string) => (await get(`v2/conans/search?q=${encodeURIComponent(q)}`)).body.results;
      assert.deepEqual(await found('*'), ['lamp/1.0@_/_', 'wick/1.0@me/stable']);
      assert.deepEqual(await found('LAMP'), ['lamp/1.0@_/_']);
      assert.deepEqual(await found('wick/*'), ['wick/1.0@me/stable']);
      assert.deepEqual(await found('wick/1.0@me/*'), ['wick/1.0@me/stable']);
      assert.deepEqual(await found('wick/2*'), []);
      assert.deepEqual(await found('l_mp'), []);
      assert.equal((await get('v1/conans/search')).status, 400);
      const anywhere = (token: string) => call('GET', `${instance()}/v1/conans/search?q=*`, basic(token));
      assert.deepEqual((await anywhere(place.reporter.token)).body.results.length, 2);
      assert.deepEqual((await anywhere(stranger)).body.results, []);
    });

    it('can be used at instance level by the user of the recipe', async () => {
      const { path_with_namespace } = (await place.asOwner(`GET ${place.base}`)).body;
      const path = path_with_namespace.replaceAll('/', '+');
      const files = `${instance()}/v1/files/glow/1.0/${path}/stable/0/export/conanfile.py`;
      assert.equal((await call('PUT', files, basic(place.developer.token), 'recipe')).status, 200);
      assert.equal((await call('GET', files, basic(place.reporter.token))).text, 'recipe');
      const at = `${instance()}/v1/conans/glow/1.0/${path}/stable`;
      assert.deepEqual((await call('GET', `${at}/download_urls`)).body, { 'conanfile.py': files });
      assert.equal((await call('GET', at, basic(stranger))).status, 404);
      assert.equal((await call('GET', at, {})).status, 401);
      const numbered = `${instance()}/v1/conans/glow/1.0/${place.project.id}/stable`;
      assert.equal((await call('GET', numbered)).status, 404);
      assert.equal((await call('DELETE', at)).status, 403);
      assert.equal((await call('DELETE', at, basic(place.owner.token))).body.name, 'glow');
      assert.deepEqual((await call('GET', at)).body, {});
    });

    it('replace existing files in the same revision, also concurrently', async () => {
      const path = `v2/conans/race/1.0/_/_/revisions/${one}/files/conanfile.py`;
      await put(path, 'before');
      const [files, bytes] = [await rows('package_files'), await size()];
      const answers = await atOnce(4, (each) => put(path, `recipe ${each}`));
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 200, 200],
      );
      assert.equal(await rows('package_files'), files);
      assert.equal(await size(), bytes - 'before'.length + 'recipe 0'.length);
      assert.match((await get(path)).text, /^recipe \d$/);
    });

    it('are deleted by revision; the last one deletes the package', async () => {
      const at = 'v2/conans/lamp/1.0/_/_';
      const packages = `${at}/revisions/${two}/packages`;
      assert.equal((await remove(`${at}/revisions/${one}`, basic(place.developer.token))).status, 403);
      assert.equal((await remove(`${at}/revisions/${one}`)).status, 200);
      assert.equal((await remove(`${at}/revisions/${one}`)).status, 404);
      assert.deepEqual((await get(`${at}/revisions`)).body.revisions.length, 1);
      assert.equal((await remove(`${packages}/${reference}/revisions/${built}`)).status, 200);
      assert.equal((await get(`${packages}/${reference}/latest`)).status, 404);
      await put(`${packages}/${reference}/revisions/${built}/files/conaninfo.txt`, info);
      assert.equal((await remove(packages)).status, 200);
      assert.equal((await remove(packages)).status, 404);
      assert.equal((await remove(`${at}/revisions/${two}`)).status, 200);
      assert.equal((await get(`${at}/latest`)).status, 404);
      assert.deepEqual((await place.asOwner(`GET ${place.base}/packages?package_name=lamp`)).body, []);
      for (const other of [
        at,
        `${at}/latest`,
        'v1/conans/wick/1.0/me/stable/digest',
        `v1/conans/wick/1.0/me/stable/packages/${reference}`,
      ]) {
        assert.equal((await remove(other)).status, 404, other);
      }
    });

    it('are rejected if invalid, without leftovers', async () => {
      const { server, reporter, guest, asOwner } = place;
      const counts = () => Promise.all([rows('packages'), rows('package_files'), rows('conan_files'), size()]);
      const counted = await counts();
      const good = `v2/conans/bad/1.0/_/_/revisions/${one}/files/conanfile.py`;
      for (const path of [
        `v2/conans/bad/1.0/_/_/revisions/x/files/conanfile.py`,
        `v2/conans/bad/1.0/_/_/revisions/${one}/files`,
        `v2/conans/bad/1.0/_/_/revisions/${one}/files/..%2f..%2fx`,
        `v2/conans/b%20d/1.0/_/_/revisions/${one}/files/x`,
        'v1/files/bad/1.0/_/_/0/other/x',
      ]) {
        assert.equal((await put(path, 'x')).status, 404, path);
      }
      const long = `v2/conans/bad/1.0/_/_/revisions/${one}/packages/${reference}/revisions/${one}/files/conaninfo.txt`;
      assert.equal((await put(long, 'x'.repeat(300_000))).status, 400);
      for (const [token, status] of [
        [reporter.token, 403],
        ['glpat-nonsense', 401],
        [stranger, 404],
      ] as const) {
        assert.equal((await put(good, 'x', basic(token))).status, status);
      }
      assert.equal((await put(good, 'x', {})).status, 401);
      for (const path of [
        'v1/conans/wick/1.0/me/stable',
        'v2/conans/search?q=*',
        'v2/conans/wick/1.0/me/stable/latest',
      ]) {
        assert.equal((await get(path, basic(stranger))).status, 404);
        assert.equal((await get(path, basic(guest.token))).status, 403);
        const response = await get(path, {});
        assert.deepEqual([response.status, response.headers.has('www-authenticate')], [401, true]);
      }
      const upload = `${base()}/v1/conans/bad/1.0/_/_/upload_urls`;
      const json = { ...basic(place.developer.token), 'content-type': 'application/json' };
      assert.equal((await call('POST', upload, json, '{"../x": 1}')).status, 400);
      const limit = (conan_max_file_size: number) =>
        server.must('PUT /application/plan_limits', { json: { plan_name: 'default', conan_max_file_size } });
      await limit(10);
      assert.equal((await put(good, 'x'.repeat(11))).body.message, '400 Bad request - File is too large');
      await limit(3 * 1024 ** 3);
      const rule = { package_name_pattern: 'b*', package_type: 'conan', minimum_access_level_for_push: 'maintainer' };
      assert.equal((await asOwner(`POST ${place.base}/packages/protection/rules`, { json: rule })).status, 201);
      assert.equal((await put(good, 'x')).status, 403);
      await asOwner(`PUT ${place.base}`, { json: { package_registry_access_level: 'disabled' } });
      assert.equal((await get('v2/conans/search?q=*')).status, 403);
      await asOwner(`PUT ${place.base}`, { json: { package_registry_access_level: 'enabled' } });
      assert.deepEqual(await counts(), counted);
    });

    it('can be accessed with deploy tokens with matching scopes, also in encrypted form', async () => {
      const grant = async (scope: string) =>
        (await place.asOwner(`POST ${place.base}/deploy_tokens`, { json: { name: scope, scopes: [scope] } })).body;
      const [reading, writing] = [await grant('read_package_registry'), await grant('write_package_registry')];
      const sealed = async (token: string) => bearer((await get('v2/users/authenticate', basic(token))).text);
      const path = `v2/conans/robot/1.0/_/_/revisions/${one}/files/conanfile.py`;
      assert.equal((await put(path, 'x', await sealed(reading.token))).status, 403);
      const writer = await sealed(writing.token);
      assert.equal((await put(path, 'x', writer)).status, 200);
      assert.equal((await get(path, await sealed(reading.token))).text, 'x');
      await place.asOwner(`DELETE ${place.base}/deploy_tokens/${writing.id}`);
      assert.equal((await put(path, 'x', writer)).status, 401);
    });
  });
});
