import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { atOnce } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';
import { addPerson } from '../../support/scene.ts';

interface Sent {
  readonly status: number;
  readonly text: string;
}

const basic = (token: string, name = '__token__') => ({
  authorization: `Basic ${Buffer.from(`${name}:${token}`).toString('base64')}`,
});

forEachEngine((engine) => {
  describe('Python packages', () => {
    let place: ProjectWithRoles;
    let stranger: string;
    const base = () => `${place.server.url}/api/v4/projects/${place.project.id}/packages/pypi`;
    const says = ({ status, text }: Sent) => [status, JSON.parse(text).message ?? JSON.parse(text).error];

    /** Sends an upload like twine; `undefined` omits a field. */
    async function upload(
      change: Record<string, string | undefined> = {},
      {
        content = Buffer.from('bytes'),
        file = 'my_package-1.0-py3-none-any.whl',
        token = place.developer.token,
        to = base(),
      } = {},
    ): Promise<Sent> {
      const form = new FormData();
      const fields = { ':action': 'file_upload', name: 'My.Package', version: '1.0', protocol_version: '1', ...change };
      for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.append(name, value);
      form.append('classifiers', 'one');
      form.append('classifiers', 'two');
      if (file !== '') form.append('content', new Blob([Uint8Array.from(content)]), file);
      const headers = token === '' ? {} : basic(token);
      const answer = await fetch(to, { method: 'POST', headers, body: form });
      return { status: answer.status, text: await answer.text() };
    }

    async function get(path: string, headers: Record<string, string> = basic(place.reporter.token)) {
      const answer = await fetch(path.startsWith('http') ? path : `${base()}/${path}`, { headers, redirect: 'manual' });
      const bytes = Buffer.from(await answer.arrayBuffer());
      return { status: answer.status, bytes, text: bytes.toString(), headers: answer.headers };
    }
    const linksOf = (page: string) => [...page.matchAll(/href="([^"]+)"/g)].map(([, href = '']) => href);
    const rows = async (table: 'packages' | 'package_files' | 'pypi_versions' | 'deleted_package_files') =>
      (await place.server.db.read.selectFrom(table).selectAll().execute()).length;

    before(async () => {
      place = await projectWithRoles(engine, 'pythonic');
      await place.server.must('PUT /application/settings', { json: { pypi_package_requests_forwarding: false } });
      stranger = (await addPerson(place.server, 'stranger')).token;
    });

    it('are published, listed and downloaded with any spelling of their name', async () => {
      const content = randomBytes(200_000);
      const digests = { sha256_digest: hash('sha256', content), md5_digest: hash('md5', content) };
      const made = await upload({ ...digests, requires_python: '>=3.8,<4' }, { content });
      assert.deepEqual(says(made), [201, '201 Created']);
      assert.equal((await upload({}, { file: 'my-package-1.0.tar.gz', content: Buffer.from('source') })).status, 201);
      assert.equal((await upload({ name: 'another', version: '2.0rc1' }, { file: 'another-2.0rc1.zip' })).status, 201);
      for (const name of ['my-package', 'My.Package', 'MY_PACKAGE', 'my-package/']) {
        const page = await get(`simple/${name}`);
        assert.equal(page.status, 200, page.text);
        assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
        assert.equal(linksOf(page.text).length, 2);
      }
      const [wheel = '', source = ''] = linksOf((await get('simple/my-package')).text);
      assert.equal(
        wheel,
        `${base()}/files/${digests.sha256_digest}/my_package-1.0-py3-none-any.whl#sha256=${digests.sha256_digest}`,
      );
      const file = await get(wheel);
      assert.deepEqual(file.bytes, content);
      assert.equal(file.headers.get('x-content-type-options'), 'nosniff');
      assert.equal((await get(source)).text, 'source');
      const index = await get('simple/');
      assert.deepEqual(
        linksOf(index.text),
        ['another', 'my-package'].map((name) => `${base()}/simple/${name}`),
      );
      const { body } = await place.asOwner(`GET ${place.base}/packages?package_type=pypi`);
      assert.deepEqual(
        body.map(({ name, version }: Record<string, string>) => [name, version]),
        [
          ['My.Package', '1.0'],
          ['another', '2.0rc1'],
        ],
      );
      const { statistics } = (await place.asOwner(`GET ${place.base}?statistics=true`)).body;
      assert.equal(statistics.packages_size, content.length + 6 + 5);
    });

    it('list the required Python version', async () => {
      const once = { name: 'needy', requires_python: '>=3.8,<4' };
      assert.equal((await upload(once, { file: 'needy-1.0.zip' })).status, 201);
      assert.match((await get('simple/needy')).text, / data-requires-python="&gt;=3\.8,&lt;4">needy-1\.0\.zip</);
    });

    it('accept each file once, also for concurrent uploads', async () => {
      const taken = [400, 'Validation failed: File name has already been taken'];
      assert.deepEqual(says(await upload()), taken);
      const answers = await atOnce(5, (index) =>
        upload({ name: 'race' }, { file: 'race-1.0.zip', content: Buffer.from(`${index}`) }),
      );
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 400, 400, 400, 400]);
      assert.equal(linksOf((await get('simple/race')).text).length, 1);
      assert.equal(await rows('deleted_package_files'), 0);
    });

    it('are rejected if invalid, without leftovers', async () => {
      const { server, reporter, guest, asOwner } = place;
      const before = [await rows('packages'), await rows('package_files'), await rows('pypi_versions')];
      const bad = (text: string) => [400, `400 Bad request - ${text}`];
      const zip = { file: 'bad-1.0.zip' };
      assert.deepEqual(says(await upload({ name: '-bad' }, zip)), bad('Name is invalid'));
      assert.deepEqual(says(await upload({ name: 'bad', version: 'one' }, zip)), bad('Version is invalid'));
      assert.deepEqual(says(await upload({ name: 'bad' }, { file: 'good-1.0.zip' })), bad('File name is invalid'));
      assert.deepEqual(says(await upload({ name: 'bad' }, { file: 'bad-1.0.exe' })), bad('File name is invalid'));
      assert.deepEqual(says(await upload({ name: undefined }, zip)), [400, 'name is missing']);
      assert.deepEqual(says(await upload({ name: 'bad', version: undefined }, zip)), [400, 'version is missing']);
      assert.deepEqual(says(await upload({ name: 'bad' }, { file: '' })), [400, 'content is missing']);
      const other = hash('sha256', 'other');
      assert.deepEqual(
        says(await upload({ name: 'bad', sha256_digest: other }, zip)),
        bad('sha256_digest does not match'),
      );
      assert.deepEqual(says(await upload({ name: 'bad', md5_digest: 'x' }, zip)), bad('md5_digest does not match'));
      const python = { name: 'bad', requires_python: '>'.repeat(256) };
      assert.equal((await upload(python, zip)).status, 400);
      const json = await asOwner(`POST ${place.base}/packages/pypi`, { json: { name: 'bad' } });
      assert.deepEqual([json.status, json.body.error], [400, 'content is missing']);
      assert.equal((await upload({ name: 'bad' }, { ...zip, token: reporter.token })).status, 403);
      assert.equal((await upload({ name: 'bad' }, { ...zip, token: 'glpat-nonsense' })).status, 401);
      assert.equal((await upload({ name: 'bad' }, { ...zip, token: '' })).status, 401);
      assert.equal((await upload({ name: 'bad' }, { ...zip, token: stranger })).status, 404);
      assert.equal((await get('simple/my-package', basic(stranger))).status, 404);
      assert.equal((await get('simple/my-package', basic(guest.token))).status, 403);
      // pip sends credentials from the keyring only when challenged.
      for (const path of ['simple', 'simple/my-package', 'simple/nothing', `files/${other}/other.zip`]) {
        const response = await get(path, {});
        assert.deepEqual(
          [response.status, response.headers.get('www-authenticate')],
          [401, 'Basic realm="GitLab Packages Registry"'],
          path,
        );
      }
      assert.equal((await get('simple/nothing')).status, 404);
      assert.equal((await get('simple/..%2fx')).status, 404);
      const digest = hash('sha256', 'source');
      assert.equal((await get(`files/${digest}/my-package-1.0.tar.gz`)).text, 'source');
      for (const path of [
        `files/${digest}/other.zip`,
        `files/${other}/my-package-1.0.tar.gz`,
        `files/${digest}/..%2fx`,
      ]) {
        assert.equal((await get(path)).status, 404, path);
      }
      await server.must('PUT /application/plan_limits', { json: { plan_name: 'default', pypi_max_file_size: 10 } });
      const large = await upload({ name: 'bad' }, { ...zip, content: Buffer.alloc(11) });
      assert.deepEqual(says(large), bad('File is too large'));
      await server.must('PUT /application/plan_limits', {
        json: { plan_name: 'default', pypi_max_file_size: 3 * 1024 ** 3 },
      });
      await asOwner(`PUT ${place.base}`, { json: { package_registry_access_level: 'disabled' } });
      assert.equal((await get('simple')).status, 403);
      assert.equal((await upload({ name: 'bad' }, zip)).status, 403);
      await asOwner(`PUT ${place.base}`, { json: { package_registry_access_level: 'enabled' } });
      assert.deepEqual([await rows('packages'), await rows('package_files'), await rows('pypi_versions')], before);
      assert.equal(await rows('deleted_package_files'), 0);
      assert.deepEqual(readdirSync(join(server.running.services.config.data, 'tmp', 'uploads')), []);
    });

    it('are found in their group by users with access', async () => {
      const { server, owner, reporter } = place;
      const own = { token: owner.token };
      const group = await server.must('POST /groups', { ...own, json: { name: 'g', path: `py-${engine}` } });
      const inside = async (path: string) =>
        (await server.must('POST /projects', { ...own, json: { path, namespace_id: group.id } })).id as number;
      const [one, two] = [await inside('one'), await inside('two')];
      for (const [id, version] of [[one, '1.0'] as const, [two, '2.0'] as const]) {
        const to = `${server.url}/api/v4/projects/${id}/packages/pypi`;
        const sending = { file: `shared-${version}.zip`, token: owner.token, to, content: Buffer.from(version) };
        assert.equal((await upload({ name: 'shared', version }, sending)).status, 201);
      }
      const { token } = await server.must(`POST /groups/${group.id}/deploy_tokens`, {
        ...{ ...own, json: { name: 'd', scopes: ['read_package_registry'] } },
      });
      const at = `${server.url}/api/v4/groups/${group.id}/-/packages/pypi`;
      for (const who of [basic(owner.token), basic(token, 'robot'), { 'deploy-token': token }]) {
        const links = linksOf((await get(`${at}/simple/Shared`, who)).text);
        assert.equal(links.length, 2);
        for (const [index, version] of ['1.0', '2.0'].entries()) {
          assert.equal((await get(links[index] ?? '', who)).text, version);
        }
        assert.deepEqual(linksOf((await get(`${at}/simple`, who)).text), [`${at}/simple/shared`]);
      }
      const file = `${at}/files/${hash('sha256', '2.0')}/shared-2.0.zip`;
      for (const path of [`${at}/simple`, `${at}/simple/shared`, file]) {
        assert.equal((await get(path, basic(reporter.token))).status, 404);
        assert.equal((await get(path, {})).status, 401);
      }
      await server.must(`PUT /groups/${group.id}`, { ...own, json: { visibility: 'public' } });
      await server.must(`PUT /projects/${one}`, { ...own, json: { visibility: 'public' } });
      assert.equal(linksOf((await get(`${at}/simple/shared`, {})).text).length, 1);
      assert.equal((await get(file, {})).status, 404);
      assert.equal((await get(`${at}/files/${hash('sha256', '1.0')}/shared-1.0.zip`, {})).text, '1.0');
    });

    it('are subject to package protection rules', async () => {
      const rule = { package_name_pattern: 'kept*', package_type: 'pypi', minimum_access_level_for_push: 'maintainer' };
      const made = await place.asOwner(`POST ${place.base}/packages/protection/rules`, { json: rule });
      assert.equal(made.status, 201, made.text);
      const kept = { file: 'kept-1.0.zip' };
      assert.equal((await upload({ name: 'kept' }, kept)).status, 403);
      assert.equal((await get('simple/kept')).status, 404);
      assert.equal((await upload({ name: 'kept' }, { ...kept, token: place.owner.token })).status, 201);
    });

    it('are forwarded to the public index if enabled', async () => {
      const { server } = place;
      await server.must('PUT /application/settings', { json: { pypi_package_requests_forwarding: true } });
      const sent = await get('simple/Some.Thing');
      assert.deepEqual([sent.status, sent.headers.get('location')], [302, 'https://pypi.org/simple/some-thing/']);
      assert.equal((await get('simple/some-thing', {})).status, 401);
      await server.must('PUT /application/settings', { json: { pypi_package_requests_forwarding: false } });
    });
  });
});
