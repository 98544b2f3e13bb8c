import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { atOnce } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const basic = (token: string) => ({ authorization: `Basic ${Buffer.from(`any:${token}`).toString('base64')}` });

forEachEngine((engine) => {
  describe('Composer packages', () => {
    let server: TestServer;
    let group: { id: number; path: string };
    let lamp: number;
    const people = {} as Record<'developer' | 'reporter' | 'guest' | 'stranger', Person>;
    const levels = { guest: 10, reporter: 20, developer: 30 } as const;

    async function commit(project: number, files: Record<string, string>, branch = 'main'): Promise<string> {
      const actions = [];
      for (const [file_path, content] of Object.entries(files)) {
        const url = `/projects/${project}/repository/files/${encodeURIComponent(file_path)}?ref=${branch}`;
        const action = (await server.api(`GET ${url}`)).status === 200 ? 'update' : 'create';
        actions.push({ action, file_path, content });
      }
      const json = { branch, commit_message: 'change', actions };
      return (await server.must(`POST /projects/${project}/repository/commits`, { json })).id;
    }
    const tag = (project: number, tag_name: string, ref = 'main') =>
      server.must(`POST /projects/${project}/repository/tags`, { json: { tag_name, ref } });
    const manifest = (name: string, more: object = {}) => ({ 'composer.json': JSON.stringify({ name, ...more }) });
    const publish = (json: object, { project = lamp, token = people.developer.token } = {}) =>
      server.api(`POST /projects/${project}/packages/composer`, { token, json });
    const project = async (path: string, namespace_id: number, visibility = 'private') =>
      (await server.must('POST /projects', { json: { path, namespace_id, visibility } })).id as number;

    async function get(path: string, headers: Record<string, string> = basic(people.reporter.token)) {
      const url = path.startsWith('http') ? path : `${server.url}/api/v4/group/${group.id}/-/packages/composer/${path}`;
      const answer = await fetch(url, { headers });
      const bytes = Buffer.from(await answer.arrayBuffer());
      const json = () => JSON.parse(bytes.toString());
      return { status: answer.status, bytes, json, headers: answer.headers };
    }
    const versions = async (path: string, name: string, headers?: Record<string, string>) => {
      const answer = await get(path, headers);
      return answer.status === 200 ? answer.json().packages[name] : answer.status;
    };

    before(async () => {
      server = await startTestServer(engine);
      group = await server.must('POST /groups', { json: { name: 'House', path: `house-${engine}` } });
      for (const role of ['developer', 'reporter', 'guest', 'stranger'] as const) {
        people[role] = await addPerson(server, role);
        if (role === 'stranger') continue;
        const json = { user_id: people[role].user.id, access_level: levels[role] };
        await server.must(`POST /groups/${group.id}/members`, { json });
      }
      lamp = await project('lamp', group.id);
      await commit(lamp, {
        ...manifest('house/lamp', { type: 'library', require: { php: '>=7.4' } }),
        'src/Lamp.php': '<?php\n',
        'tests/LampTest.php': '<?php\n',
        '.gitattributes': '/tests export-ignore\n',
      });
      await tag(lamp, 'v1.0.0');
    });

    it('are published from a tag and listed for Composer 2', async () => {
      const answer = await publish({ tag: 'v1.0.0' });
      assert.deepEqual([answer.status, answer.body], [201, { message: '201 Created' }]);
      const base = `/api/v4/group/${group.id}/-/packages/composer`;
      const agent = { ...basic(people.reporter.token), 'user-agent': 'Composer/2.5.5 (Linux; PHP 8.2)' };
      const second = { packages: [], 'metadata-url': `${base}/p2/%package%.json` };
      for (const path of ['packages.json', 'packages']) assert.deepEqual((await get(path, agent)).json(), second);
      const answered = await get('p2/house/lamp.json');
      assert.match(answered.headers.get('content-type') ?? '', /^application\/json/);
      const found = answered.json().packages['house/lamp'];
      const sha = (await server.must(`GET /projects/${lamp}/repository/commits/v1.0.0`)).id;
      const { uid, ...about } = found['1.0.0'];
      assert.equal(typeof uid, 'number');
      assert.deepEqual(about, {
        name: 'house/lamp',
        type: 'library',
        require: { php: '>=7.4' },
        version: '1.0.0',
        dist: {
          type: 'zip',
          url: `${server.url}/api/v4/projects/${lamp}/packages/composer/archives/house/lamp.zip?sha=${sha}`,
          reference: sha,
          shasum: '',
        },
        source: { type: 'git', url: `${server.url}/${group.path}/lamp.git`, reference: sha },
      });
      assert.equal(await versions('p2/house/lamp~dev.json', 'house/lamp'), 404);
      const [listed] = await server.must(`GET /projects/${lamp}/packages?package_type=composer`);
      assert.deepEqual([listed.id, listed.name, listed.version], [uid, 'house/lamp', '1.0.0']);
      assert.deepEqual(await server.must(`GET /projects/${lamp}/packages/${uid}/package_files`), []);
    });

    it('are downloaded as a zip of the commit, even if its tag was deleted', async () => {
      const { dist, uid } = (await versions('p2/house/lamp.json', 'house/lamp'))['1.0.0'];
      await server.must(`DELETE /projects/${lamp}/repository/tags/v1.0.0`);
      const file = await get(dist.url);
      assert.equal(file.status, 200);
      assert.equal(file.headers.get('content-type'), 'application/zip');
      const names = file.bytes.toString('latin1');
      assert.ok(names.startsWith('PK') && names.includes('/src/Lamp.php') && !names.includes('LampTest.php'));
      const { last_downloaded_at } = await server.must(`GET /projects/${lamp}/packages/${uid}`);
      assert.notEqual(last_downloaded_at, null);
      await tag(lamp, 'v1.0.0', dist.reference);
      const head = await fetch(dist.url, { method: 'HEAD', headers: basic(people.reporter.token) });
      assert.equal(head.status, 200);
    });

    it('cannot be downloaded at unpublished commits', async () => {
      const archives = `${server.url}/api/v4/projects/${lamp}/packages/composer/archives/house`;
      const secret = await commit(lamp, { 'secret.txt': 'later' });
      for (const query of [
        `lamp.zip?sha=${secret}`,
        'lamp.zip?sha=main',
        'lamp.zip?sha=',
        'other.zip?sha=1',
        '..%2f',
      ]) {
        const { status } = await get(`${archives}/${query}`);
        assert.ok(status === 404 || (status === 400 && /sha=$|\.\.%2f$/.test(query)), `${query}: ${status}`);
      }
      const { sha: _, ...none } = (await get(`${archives}/lamp.zip`)).json();
      assert.deepEqual(none, { error: 'sha is missing' });
    });

    it('are published from branches, and again after these moved', async () => {
      await server.must(`POST /projects/${lamp}/repository/branches`, { json: { branch: '2.x', ref: 'main' } });
      for (const branch of ['main', '2.x']) assert.equal((await publish({ branch })).status, 201);
      const one = await versions('p2/house/lamp~dev.json', 'house/lamp');
      assert.deepEqual(Object.keys(one), ['dev-main', '2.x-dev']);
      assert.deepEqual(Object.keys(await versions('p2/house/lamp.json', 'house/lamp')), ['1.0.0']);
      const taken = { message: 'Validation failed: Version has already been taken' };
      const again = await publish({ branch: 'main' });
      assert.deepEqual([again.status, again.body], [400, taken]);
      const sha = await commit(lamp, manifest('house/lamp', { type: 'project' }));
      assert.equal((await publish({ branch: 'main' })).status, 201);
      const two = await versions('p2/house/lamp~dev.json', 'house/lamp');
      assert.deepEqual([two['dev-main'].dist.reference, two['dev-main'].type], [sha, 'project']);
      assert.equal(two['dev-main'].uid, one['dev-main'].uid);
      assert.equal((await get(one['dev-main'].dist.url)).status, 200, 'the commit is still published as 2.x');
      const all = await server.must(`GET /projects/${lamp}/packages/${two['dev-main'].uid}`);
      assert.deepEqual(
        all.versions.map(({ version }: { version: string }) => version),
        ['2.x-dev', '1.0.0'],
      );
    });

    it('are listed for Composer 1 with digests that it verifies', async () => {
      const base = (
        await get('packages.json', { ...basic(people.reporter.token), 'user-agent': 'Composer/1.10.27' })
      ).json();
      const address = `/api/v4/group/${group.id}/-/packages/composer`;
      assert.equal(base['providers-url'], `${address}/%package%$%hash%.json`);
      const { sha256 } = base['provider-includes']['p/%hash%.json'];
      const list = await get(`p/${sha256}.json`);
      assert.equal(hash('sha256', list.bytes), sha256);
      assert.deepEqual(Object.keys(list.json().providers), ['house/lamp']);
      const own = list.json().providers['house/lamp'].sha256;
      const whole = await get(`house/lamp$${own}.json`);
      assert.equal(hash('sha256', whole.bytes), own);
      assert.deepEqual(Object.keys(whole.json().packages['house/lamp']), ['1.0.0', 'dev-main', '2.x-dev']);
      assert.equal((await get(`house/lamp%24${own}.json`)).status, 200);
      assert.equal((await get(`house/shade$${own}.json`)).status, 404);
      assert.equal((await get('house/lamp.json')).status, 404);
    });

    it('are rejected if invalid, without leftovers', async () => {
      const rows = async () => (await server.db.read.selectFrom('packages').selectAll().execute()).length;
      const before = await rows();
      const odd = await project('odd', group.id);
      const says = async (json: object) => {
        const { status, body } = await publish(json, { project: odd });
        return [status, body.message ?? body.error];
      };
      assert.deepEqual(await says({ branch: 'main' }), [404, '404 Branch Not Found']);
      await commit(odd, { 'README.md': 'odd' });
      for (const name of ['latest', '1.0.0.0', 'v1']) await tag(odd, name);
      assert.deepEqual(await says({ branch: 'main' }), [422, 'The file composer.json was not found']);
      for (const content of ['{', '[]', '{}', '{"name":"Odd"}']) {
        await commit(odd, { 'composer.json': content });
        assert.equal((await says({ branch: 'main' }))[0], 422, content);
      }
      await commit(odd, manifest('house/odd', { description: 'x'.repeat(65_536) }));
      assert.match(String((await says({ branch: 'main' }))[1]), /too large/);
      const version = [400, 'Validation failed: Version is invalid'];
      assert.deepEqual(await says({ tag: 'latest' }), version);
      assert.deepEqual(await says({ tag: '1.0.0.0' }), version);
      assert.deepEqual(await says({ tag: 'none' }), [404, '404 Tag Not Found']);
      for (const name of ['v1~1', 'v1^{}', '../heads/main', 'HEAD', '-x', '\0', '']) {
        assert.ok([400, 404].includes((await publish({ tag: name }, { project: odd })).status), name);
      }
      assert.deepEqual(await says({}), [400, 'branch, tag are missing, exactly one parameter must be provided']);
      assert.equal((await publish({ branch: 'main', tag: 'v1' })).status, 400);
      assert.equal((await publish({ branch: 'main' }, { token: people.reporter.token })).status, 403);
      assert.equal((await publish({ branch: 'main' }, { token: people.stranger.token })).status, 404);
      assert.equal((await publish({ branch: 'main' }, { token: 'glpat-nonsense' })).status, 401);
      assert.equal(await rows(), before);
    });

    it('reserve their name for one project of the root namespace, also for concurrent requests', async () => {
      const below = await server.must('POST /groups', { json: { name: 'b', path: 'below', parent_id: group.id } });
      const ids = [await project('a', group.id), await project('b', below.id), await project('c', below.id)];
      for (const id of ids) await commit(id, manifest('house/table'));
      const answers = await atOnce(3, (index) => publish({ branch: 'main' }, { project: ids[index] ?? 0 }));
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 400, 400]);
      const refused = answers.find(({ status }) => status === 400);
      assert.equal(refused?.body.message, 'Validation failed: Name is already taken by another project');
      const elsewhere = await server.must('POST /groups', { json: { name: 'e', path: `else-${engine}` } });
      const other = await project('other', elsewhere.id);
      await commit(other, manifest('house/table'));
      const own = await server.api(`POST /projects/${other}/packages/composer`, { json: { branch: 'main' } });
      assert.equal(own.status, 201, 'names are independent per root namespace');
    });

    it('can be read by users with access to packages', async () => {
      const metadata = 'p2/house/lamp.json';
      const { dist } = (await versions(metadata, 'house/lamp'))['1.0.0'];
      assert.equal(await versions(metadata, 'house/lamp', basic(people.guest.token)), 404);
      assert.equal((await get(dist.url, basic(people.guest.token))).status, 403);
      for (const path of [metadata, 'packages.json', dist.url]) {
        assert.equal((await get(path, basic(people.stranger.token))).status, 404, path);
        const response = await get(path, {});
        assert.deepEqual(
          [response.status, response.headers.get('www-authenticate')],
          [401, 'Basic realm="GitLab Packages Registry"'],
          path,
        );
      }
      const tokens = `/groups/${group.id}/deploy_tokens`;
      const deploy = async (scope: string) =>
        (await server.must(`POST ${tokens}`, { json: { name: scope, scopes: [scope] } })).token as string;
      const [reads, writes] = [await deploy('read_package_registry'), await deploy('write_package_registry')];
      for (const token of [reads, writes]) {
        assert.deepEqual(Object.keys(await versions(metadata, 'house/lamp', basic(token))), ['1.0.0']);
        assert.equal((await get(dist.url, { 'deploy-token': token })).status, 200);
      }
      const url = `${server.url}/api/v4/projects/${lamp}/packages/composer`;
      const send = async (token: string) =>
        (await fetch(url, { method: 'POST', headers: basic(token), body: new URLSearchParams({ tag: 'v1.1.0' }) }))
          .status;
      await tag(lamp, 'v1.1.0');
      assert.deepEqual([await send(reads), await send(writes)], [403, 201]);
      await server.must(`PUT /projects/${lamp}`, { json: { package_registry_access_level: 'disabled' } });
      assert.equal(await versions(metadata, 'house/lamp'), 404);
      assert.equal((await get(dist.url)).status, 403);
      assert.equal((await publish({ branch: 'main' })).status, 403);
      await server.must(`PUT /projects/${lamp}`, { json: { package_registry_access_level: 'enabled' } });
    });

    it('can be read anonymously if public, without a challenge for missing packages', async () => {
      const open = await server.must('POST /groups', {
        json: { name: 'o', path: `open-${engine}`, visibility: 'public' },
      });
      const [seen, hidden] = [await project('seen', open.id, 'public'), await project('hidden', open.id)];
      for (const [id, name] of [[seen, 'open/seen'] as const, [hidden, 'open/hidden'] as const]) {
        await commit(id, manifest(name));
        assert.equal(
          (await server.api(`POST /projects/${id}/packages/composer`, { json: { branch: 'main' } })).status,
          201,
        );
      }
      const base = `${server.url}/api/v4/group/${encodeURIComponent(open.path)}/-/packages/composer`;
      assert.deepEqual(Object.keys((await get(`${base}/p/x.json`, {})).json().providers), ['open/seen']);
      const { dist } = (await get(`${base}/p2/open/seen~dev.json`, {})).json().packages['open/seen']['dev-main'];
      assert.equal((await get(dist.url, {})).status, 200);
      // Composer requests every package it installs here, and a challenge would make it prompt for a password.
      for (const name of ['open/hidden~dev', 'psr/log', 'nonsense']) {
        assert.equal((await get(`${base}/p2/${name}.json`, {})).status, 404, name);
      }
    });

    it('are unavailable once deleted', async () => {
      const { uid, dist } = (await versions('p2/house/lamp.json', 'house/lamp'))['1.0.0'];
      await server.must(`DELETE /projects/${lamp}/packages/${uid}`);
      assert.deepEqual(Object.keys(await versions('p2/house/lamp.json', 'house/lamp')), ['1.1.0']);
      const kept = await server.db.read
        .selectFrom('composer_versions')
        .selectAll()
        .where('package_id', '=', uid)
        .execute();
      assert.deepEqual(kept, []);
      assert.equal((await publish({ tag: 'v1.0.0' })).status, 201);
      assert.equal((await get(dist.url)).status, 200);
    });
  });
});
