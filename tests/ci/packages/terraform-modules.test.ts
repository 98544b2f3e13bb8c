import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { moduleFile, modulePackage } from '../../../src/ci/packages/terraform/names.ts';
import { atOnce } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';
import { addPerson } from '../../support/scene.ts';

type Headers = Record<string, string>;

const basic = (token: string, name = 'anybody') => ({
  authorization: `Basic ${Buffer.from(`${name}:${token}`).toString('base64')}`,
});
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('Terraform module names', () => {
  it('consist of lowercase words', () => {
    const name = (module_name: string, module_system = 'aws') => modulePackage({ module_name, module_system });
    assert.equal(name('hello-world'), 'hello-world/aws');
    for (const wrong of ['', '-a', 'a-', 'A', 'a b', 'a/b', '..', 'ä', 'x'.repeat(65)]) {
      assert.equal(name(wrong), undefined, wrong);
      assert.equal(name('a', wrong), undefined, wrong);
    }
    const module = { module_name: 'a', module_system: 'b' };
    assert.equal(moduleFile(module, '1.0.0'), 'a-b-1.0.0.tgz');
    assert.deepEqual(
      ['1.0', 'v1.0.0', '../1', `1.0.0-${'x'.repeat(250)}`].map((one) => moduleFile(module, one)),
      [undefined, undefined, undefined, undefined],
    );
  });
});

forEachEngine((engine) => {
  describe('Terraform modules', () => {
    let place: ProjectWithRoles;
    let stranger: string;
    let top: string;
    let group: number;
    const url = () => place.server.url;
    const registry = (rest: string) => `${url()}/api/v4/packages/terraform/modules/v1/${top}/${rest}`;

    async function call(address: string, headers: Headers = bearer(place.reporter.token)) {
      const to = address.startsWith('http') ? address : `${url()}${address}`;
      const answer = await fetch(to, { headers, redirect: 'manual' });
      const bytes = Buffer.from(await answer.arrayBuffer());
      const body = answer.headers.get('content-type')?.startsWith('application/json')
        ? JSON.parse(bytes.toString())
        : null;
      return { status: answer.status, bytes, body, headers: answer.headers };
    }

    async function publish(
      module: string,
      {
        content = Buffer.from('module'),
        headers = bearer(place.developer.token) as Headers,
        project = place.project.id,
      } = {},
    ) {
      const to = `${url()}/api/v4/projects/${project}/packages/terraform/modules/${module}/file`;
      const answer = await fetch(to, { method: 'PUT', headers, body: Uint8Array.from(content) });
      const body = (await answer.json()) as { message?: string; error?: string };
      return [answer.status, body.message ?? body.error];
    }
    const created = [201, '201 Created'];
    const rows = async (table: 'packages' | 'package_files' | 'deleted_package_files') =>
      (await place.server.db.read.selectFrom(table).selectAll().execute()).length;

    before(async () => {
      place = await projectWithRoles(engine, 'modular');
      stranger = (await addPerson(place.server, 'stranger')).token;
      top = place.owner.user.username;
      const own = { token: place.owner.token };
      group = (await place.server.must('POST /groups', { ...own, json: { name: 'g', path: 'acme' } })).id;
    });

    it('are discoverable on the host', async () => {
      const { body } = await call('/.well-known/terraform.json', {});
      assert.deepEqual(body, { 'modules.v1': '/api/v4/packages/terraform/modules/v1/' });
    });

    it('are published, listed, described and downloaded', async () => {
      const content = randomBytes(100_000);
      assert.deepEqual(await publish('hello-world/local/1.0.0', { content }), created);
      for (const version of ['0.9.3', '1.10.0', '1.9.0', '2.0.0-rc.1']) {
        assert.deepEqual(await publish(`hello-world/local/${version}`, { content: Buffer.from(version) }), created);
      }
      const source = `${url()}/${top}/modular`;
      const versions = ['2.0.0-rc.1', '1.10.0', '1.9.0', '1.0.0', '0.9.3'];
      const root = { dependencies: [], providers: [{ name: 'local', version: '' }] };
      assert.deepEqual((await call(registry('hello-world/local/versions'))).body, {
        modules: [{ versions: versions.map((version) => ({ version, submodules: [], root })), source }],
      });
      const about = {
        name: 'hello-world/local',
        provider: 'local',
        providers: ['local'],
        root: { dependencies: [] },
        source,
        submodules: [],
      };
      const latest = await call(registry('hello-world/local'));
      assert.deepEqual(latest.body, { ...about, version: '1.10.0', versions });
      const one = await call(registry('hello-world/local/1.0.0'));
      assert.deepEqual(one.body, { ...about, version: '1.0.0', versions: ['1.0.0'] });
      const led = await call(registry('hello-world/local/download'));
      const path = `/api/v4/packages/terraform/modules/v1/${top}/hello-world/local`;
      assert.deepEqual([led.status, led.headers.get('location')], [302, `${path}/1.10.0/download`]);
      const response = await call(registry('hello-world/local/1.0.0/download'));
      assert.deepEqual([response.status, response.bytes.length], [204, 0]);
      const address = response.headers.get('x-terraform-get') ?? '';
      assert.ok(address.startsWith(`${path}/1.0.0/file?`));
      assert.equal(new URL(address, url()).searchParams.get('archive'), 'tgz');
      // Terraform downloads the file without a token.
      assert.deepEqual((await call(address, {})).bytes, content);
      assert.deepEqual((await call(registry('hello-world/local/1.0.0/file'))).bytes, content);
      const inProject = `/api/v4/projects/${place.project.id}/packages/terraform/modules/hello-world/local`;
      assert.equal(String((await call(inProject, basic(place.reporter.token))).bytes), '1.10.0');
      assert.equal(String((await call(`${inProject}/0.9.3`)).bytes), '0.9.3');
      const { body } = await place.asOwner(`GET ${place.base}/packages?package_type=terraform_module`);
      assert.deepEqual([body.length, body[0].name, body[0].version], [5, 'hello-world/local', '1.0.0']);
    });

    it('can be downloaded with a short-lived ticket for one file', async () => {
      const response = await call(registry('hello-world/local/1.0.0/download'));
      const address = new URL(response.headers.get('x-terraform-get') ?? '', url()).href;
      assert.equal((await call(address.replace('/1.0.0/', '/0.9.3/'), {})).status, 401);
      assert.equal((await call(address.replace(/download_token=[^&]+/, 'download_token=nonsense'), {})).status, 401);
      const { encryption } = place.server.running.services;
      const seal = (until: number) => encryption.encrypt(JSON.stringify({ package: 1, until }), 'terraform.module');
      const by = (ticket: string) =>
        call(registry(`hello-world/local/1.0.0/file?download_token=${encodeURIComponent(ticket)}`), {});
      assert.equal((await by(seal(Date.now() + 60_000))).status, 200);
      assert.equal((await by(seal(Date.now() - 1))).status, 401);
    });

    it('are published once, also for concurrent requests', async () => {
      assert.deepEqual(await publish('hello-world/local/1.0.0'), [
        403,
        '403 Forbidden - Package version already exists.',
      ]);
      const answers = await atOnce(4, () => publish('race/local/1.0.0'));
      assert.deepEqual(answers.map(([status]) => status).toSorted(), [201, 403, 403, 403]);
      assert.equal(await rows('deleted_package_files'), 0);
    });

    it('have a unique name in the root namespace', async () => {
      const { server, owner } = place;
      const own = { token: owner.token };
      const below = (await server.must('POST /groups', { ...own, json: { name: 's', path: 'sub', parent_id: group } }))
        .id;
      const inside = async (path: string, namespace_id: number) =>
        (await server.must('POST /projects', { ...own, json: { path, namespace_id } })).id as number;
      const [one, two] = [await inside('one', group), await inside('two', below)];
      const headers = bearer(owner.token);
      const taken = [403, '403 Forbidden - A package with the same name already exists in the namespace'];
      const answers = await atOnce(2, (index) =>
        publish('shared/aws/1.0.0', { headers, project: [one, two][index] ?? 0 }),
      );
      assert.deepEqual(answers.toSorted(), [created, taken]);
      assert.deepEqual(await publish('hello-world/local/1.0.0', { headers, project: two }), created);
      assert.deepEqual(await publish('hello-world/local/1.0.1', { headers, project: one }), taken);
      const at = `${url()}/api/v4/packages/terraform/modules/v1/acme/hello-world/local/versions`;
      const found = await call(at, headers);
      assert.equal(found.body.modules[0].source, `${url()}/acme/sub/two`);
      // Other users cannot access the module or the group.
      assert.equal((await call(at)).status, 404);
      const anonymous = await call(at, {});
      assert.deepEqual([anonymous.status, anonymous.headers.has('www-authenticate')], [401, true]);
      const { token } = await server.must(`POST /groups/${group}/deploy_tokens`, {
        ...{ ...own, json: { name: 'd', scopes: ['read_package_registry'] } },
      });
      for (const who of [bearer(token), basic(token)]) assert.equal((await call(at, who)).status, 200);
      assert.deepEqual((await publish('other/aws/1.0.0', { headers: bearer(token), project: two }))[0], 403);
      await server.must(`PUT /groups/${group}`, { ...own, json: { visibility: 'public' } });
      await server.must(`PUT /groups/${below}`, { ...own, json: { visibility: 'public' } });
      await server.must(`PUT /projects/${two}`, { ...own, json: { visibility: 'public' } });
      assert.equal((await call(at, {})).status, 200);
      for (const wrong of [String(group), 'acme%2fsub', 'nobody', '..']) {
        assert.equal((await call(at.replace('/acme/', `/${wrong}/`))).status, 404, wrong);
      }
    });

    it('are rejected if invalid, without leftovers', async () => {
      const { server, reporter, guest, asOwner } = place;
      const before = [await rows('packages'), await rows('package_files')];
      const named = [400, 'module_name or module_system is invalid'];
      assert.deepEqual(await publish('Bad/local/1.0.0'), named);
      assert.deepEqual(await publish('bad/lo_cal/1.0.0'), named);
      assert.deepEqual(await publish('bad/local/latest'), [400, 'module_version is invalid']);
      assert.deepEqual((await publish('bad/local/1.0.0', { headers: bearer(reporter.token) }))[0], 403);
      assert.deepEqual((await publish('bad/local/1.0.0', { headers: bearer('glpat-nonsense') }))[0], 401);
      assert.deepEqual((await publish('bad/local/1.0.0', { headers: bearer(stranger) }))[0], 404);
      assert.deepEqual((await publish('bad/local/1.0.0', { headers: {} }))[0], 401);
      for (const rest of ['versions', 'download', '1.0.0', '1.0.0/download', '1.0.0/file']) {
        const path = registry(`hello-world/local/${rest}`);
        assert.equal((await call(path, bearer(stranger))).status, 404, rest);
        assert.equal((await call(path, bearer(guest.token))).status, 404, rest);
        assert.equal((await call(path, {})).status, 401, rest);
      }
      for (const rest of [
        'hello-world/local/9.0.0',
        'hello-world/local/9.0.0/download',
        'none/local/versions',
        '..%2f/a',
      ]) {
        assert.equal((await call(registry(rest))).status, 404, rest);
      }
      const limit = (terraform_module_max_file_size: number) =>
        server.must('PUT /application/plan_limits', { json: { plan_name: 'default', terraform_module_max_file_size } });
      await limit(5);
      assert.deepEqual(await publish('bad/local/1.0.0'), [400, '400 Bad request - File is too large']);
      await limit(1024 ** 3);
      await asOwner(`PUT ${place.base}`, { json: { package_registry_access_level: 'disabled' } });
      assert.equal((await call(registry('hello-world/local/versions'))).status, 404);
      assert.deepEqual((await publish('bad/local/1.0.0'))[0], 403);
      await asOwner(`PUT ${place.base}`, { json: { package_registry_access_level: 'enabled' } });
      const rule = {
        package_name_pattern: 'kept/*',
        package_type: 'terraform_module',
        minimum_access_level_for_push: 'maintainer',
      };
      const made = await asOwner(`POST ${place.base}/packages/protection/rules`, { json: rule });
      assert.equal(made.status, 201, made.text);
      assert.deepEqual(await publish('kept/local/1.0.0'), [403, '403 Forbidden - Package protected.']);
      assert.deepEqual([await rows('packages'), await rows('package_files')], before);
      assert.equal(await rows('deleted_package_files'), 0);
    });

    it('are unavailable once deleted', async () => {
      const [found] = (await place.asOwner(`GET ${place.base}/packages?package_name=race`)).body;
      const response = await call(registry('race/local/1.0.0/download'));
      const address = response.headers.get('x-terraform-get') ?? '';
      assert.equal((await place.asOwner(`DELETE ${place.base}/packages/${found.id}`)).status, 204);
      assert.equal((await call(registry('race/local/versions'))).status, 404);
      assert.equal((await call(address, bearer(place.owner.token))).status, 404);
    });
  });
});
