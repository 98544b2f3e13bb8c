import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { parse } from 'yaml';
import { atOnce } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';
import { addPerson } from '../../support/scene.ts';
import { packedTar } from '../../support/tar.ts';

interface Sent {
  readonly status: number;
  readonly text: string;
}

const basic = (token: string, name = 'anybody') => ({
  authorization: `Basic ${Buffer.from(`${name}:${token}`).toString('base64')}`,
});

/** A chart in the format of `helm package`. */
const chart = (name: string, version: string, more = '') =>
  packedTar({
    [`${name}/Chart.yaml`]: `apiVersion: v2\nname: ${name}\nversion: ${version}\n${more}`,
    [`${name}/x`]: '',
  });

forEachEngine((engine) => {
  describe('Helm charts', () => {
    let place: ProjectWithRoles;
    let stranger: string;
    const base = () => `${place.server.url}/api/v4/projects/${place.project.id}/packages/helm`;
    const says = ({ status, text }: Sent) => [status, JSON.parse(text).message ?? JSON.parse(text).error];

    async function push(
      content: Buffer,
      { channel = 'stable', headers = basic(place.developer.token), field = 'chart' } = {},
    ): Promise<Sent> {
      const body = new FormData();
      if (field !== '') body.append(field, new Blob([Uint8Array.from(content)]), '../any name');
      const answer = await fetch(`${base()}/api/${channel}/charts`, { method: 'POST', headers, body });
      return { status: answer.status, text: await answer.text() };
    }

    async function get(path: string, headers: Record<string, string> = basic(place.reporter.token)) {
      const answer = await fetch(`${base()}/${path}`, { headers });
      const bytes = Buffer.from(await answer.arrayBuffer());
      return { status: answer.status, bytes, text: bytes.toString(), headers: answer.headers };
    }
    const index = async (channel = 'stable') => parse((await get(`${channel}/index.yaml`)).text);
    const rows = async (table: 'packages' | 'package_files' | 'helm_files' | 'deleted_package_files') =>
      (await place.server.db.read.selectFrom(table).selectAll().execute()).length;

    before(async () => {
      place = await projectWithRoles(engine, 'charted');
      stranger = (await addPerson(place.server, 'stranger')).token;
    });

    it('are published, listed in their channel and downloaded', async () => {
      const lamp = chart('lamp', '1.0.0', 'description: "Shines: \\"brightly\\" #1"\nappVersion: 1.10\n');
      assert.deepEqual(says(await push(lamp)), [201, '201 Created']);
      assert.equal((await push(chart('lamp', '1.1.0+build.1'))).status, 201);
      assert.equal((await push(chart('oil', 'v2.0.0'))).status, 201);
      assert.equal((await push(chart('lamp', '2.0.0-rc.1'), { channel: 'edge' })).status, 201);
      const { entries, ...about } = await index();
      assert.equal(about.apiVersion, 'v1');
      assert.deepEqual(about.serverInfo, { contextPath: `/api/v4/projects/${place.project.id}/packages/helm` });
      assert.deepEqual(Object.keys(entries), ['lamp', 'oil']);
      const [newer, older] = entries.lamp;
      assert.equal(newer.version, '1.1.0+build.1');
      const { created, ...rest } = older;
      assert.ok(Date.parse(created) > 0);
      assert.deepEqual(rest, {
        apiVersion: 'v2',
        name: 'lamp',
        version: '1.0.0',
        description: 'Shines: "brightly" #1',
        appVersion: '1.10',
        digest: hash('sha256', lamp),
        urls: ['charts/lamp-1.0.0.tgz'],
      });
      const sent = await get(`stable/${older.urls[0]}`);
      assert.deepEqual([sent.bytes, sent.headers.get('x-content-type-options')], [lamp, 'nosniff']);
      assert.equal((await get(`stable/${newer.urls[0]}`)).status, 200);
      assert.deepEqual(Object.keys((await index('edge')).entries), ['lamp']);
      assert.deepEqual((await index('none')).entries, {});
      assert.equal((await get('edge/charts/lamp-1.0.0.tgz')).status, 404);
      const { body } = await place.asOwner(`GET ${place.base}/packages?package_type=helm`);
      assert.deepEqual(
        body.map(({ name, version }: Record<string, string>) => `${name} ${version}`),
        ['lamp 1.0.0', 'lamp 1.1.0+build.1', 'oil v2.0.0', 'lamp 2.0.0-rc.1'],
      );
      const { statistics } = (await place.asOwner(`GET ${place.base}?statistics=true`)).body;
      const stored = await place.server.db.read.selectFrom('package_files').select('size').execute();
      assert.equal(
        statistics.packages_size,
        stored.reduce((sum, { size }) => sum + Number(size), 0),
      );
    });

    it('can be published again, also concurrently, with the latest one served', async () => {
      const again = chart('lamp', '1.0.0', 'description: again\n');
      assert.equal((await push(again)).status, 201);
      const listed = (await index()).entries.lamp.filter(({ version }: { version: string }) => version === '1.0.0');
      assert.deepEqual(
        listed.map(({ description, digest }: Record<string, string>) => [description, digest]),
        [['again', hash('sha256', again)]],
      );
      assert.deepEqual((await get('stable/charts/lamp-1.0.0.tgz')).bytes, again);
      const answers = await atOnce(4, (one) => push(chart('race', '1.0.0', `description: "${one}"\n`)));
      assert.deepEqual(
        answers.map(({ status }) => status),
        [201, 201, 201, 201],
      );
      assert.equal((await index()).entries.race.length, 1);
      const { body } = await place.asOwner(`GET ${place.base}/packages?package_name=race`);
      assert.equal(body.length, 1);
    });

    it('are removed from the index with their package or file', async () => {
      assert.equal((await push(chart('gone', '1.0.0'))).status, 201);
      const [found] = (await place.asOwner(`GET ${place.base}/packages?package_name=gone`)).body;
      assert.equal((await place.asDeveloper(`DELETE ${place.base}/packages/${found.id}`)).status, 403);
      assert.equal((await place.asOwner(`DELETE ${place.base}/packages/${found.id}`)).status, 204);
      assert.equal((await index()).entries.gone, undefined);
      assert.equal((await get('stable/charts/gone-1.0.0.tgz')).status, 404);
      const [race] = (await place.asOwner(`GET ${place.base}/packages?package_name=race`)).body;
      const files = (await place.asOwner(`GET ${place.base}/packages/${race.id}/package_files`)).body;
      const newest = `${place.base}/packages/${race.id}/package_files/${files.at(-1).id}`;
      assert.equal((await place.asOwner(`DELETE ${newest}`)).status, 204);
      assert.equal((await index()).entries.race[0].digest, files.at(-2).file_sha256);
    });

    it('are limited in the index by the instance setting', async () => {
      const { server } = place;
      await server.must('PUT /application/settings', { json: { helm_max_packages_count: 1 } });
      const { entries } = await index();
      assert.equal(Object.values(entries).flat().length, 1);
      await server.must('PUT /application/settings', { json: { helm_max_packages_count: 1000 } });
    });

    it('are rejected if invalid, without leftovers', async () => {
      const { server, reporter, guest, asOwner } = place;
      const before = [await rows('packages'), await rows('package_files'), await rows('helm_files')];
      const bad = (text: string) => [400, `400 Bad request - ${text}`];
      assert.deepEqual(says(await push(Buffer.from('bytes'))).slice(0, 1), [400]);
      assert.deepEqual(says(await push(packedTar({ 'a/b': '' }))), bad('The chart has no Chart.yaml'));
      assert.deepEqual(says(await push(chart('bad', 'latest'))), bad('Chart.yaml is invalid'));
      const bomb = packedTar({ zeros: Buffer.alloc(110 * 1024 ** 2), 'bad/Chart.yaml': '' });
      assert.ok(bomb.length < 1_000_000);
      assert.deepEqual(
        says(await push(bomb)),
        bad(`The chart cannot be unpacked: it unpacks to more than ${100 * 1024 ** 2} bytes`),
      );
      const good = chart('bad', '1.0.0');
      assert.deepEqual(says(await push(good, { field: 'other' })), [400, 'chart is missing']);
      assert.deepEqual(says(await push(good, { channel: 'a%2fb' })), [400, 'channel is invalid']);
      const json = await asOwner(`POST ${place.base}/packages/helm/api/stable/charts`, { json: { chart: 'x' } });
      assert.deepEqual([json.status, json.body.error], [400, 'chart is missing']);
      assert.equal((await push(good, { headers: basic(reporter.token) })).status, 403);
      assert.equal((await push(good, { headers: basic('glpat-nonsense') })).status, 401);
      assert.equal((await push(good, { headers: basic(stranger) })).status, 404);
      for (const path of ['stable/index.yaml', 'stable/charts/lamp-1.0.0.tgz']) {
        assert.equal((await get(path, basic(stranger))).status, 404);
        assert.equal((await get(path, basic(guest.token))).status, 403);
        const response = await get(path, {});
        assert.deepEqual([response.status, response.headers.has('www-authenticate')], [401, true]);
      }
      assert.equal((await get('a%2fb/index.yaml')).status, 404);
      assert.equal((await get('stable/charts/..%2f..%2fx')).status, 404);
      await server.must('PUT /application/plan_limits', { json: { plan_name: 'default', helm_max_file_size: 100 } });
      const noise = packedTar({ 'bad/Chart.yaml': randomBytes(300) });
      assert.deepEqual(says(await push(noise)), bad('File is too large'));
      await server.must('PUT /application/plan_limits', {
        json: { plan_name: 'default', helm_max_file_size: 5 * 1024 ** 2 },
      });
      await asOwner(`PUT ${place.base}`, { json: { package_registry_access_level: 'disabled' } });
      assert.equal((await get('stable/index.yaml')).status, 403);
      assert.equal((await push(good)).status, 403);
      await asOwner(`PUT ${place.base}`, { json: { package_registry_access_level: 'enabled' } });
      assert.deepEqual([await rows('packages'), await rows('package_files'), await rows('helm_files')], before);
      assert.equal(await rows('deleted_package_files'), 0);
      assert.deepEqual(readdirSync(join(server.running.services.config.data, 'tmp', 'uploads')), []);
    });

    it('can be accessed with deploy tokens with matching scopes', async () => {
      const grant = async (scope: string) =>
        (await place.asOwner(`POST ${place.base}/deploy_tokens`, { json: { name: scope, scopes: [scope] } })).body
          .token;
      const [reading, writing] = [await grant('read_package_registry'), await grant('write_package_registry')];
      assert.equal((await push(chart('robot', '1.0.0'), { headers: basic(reading) })).status, 403);
      assert.equal((await push(chart('robot', '1.0.0'), { headers: basic(writing) })).status, 201);
      assert.equal((await get('stable/charts/robot-1.0.0.tgz', basic(reading))).status, 200);
    });

    it('are subject to package protection rules', async () => {
      const rule = { package_name_pattern: 'kept*', package_type: 'helm', minimum_access_level_for_push: 'maintainer' };
      const made = await place.asOwner(`POST ${place.base}/packages/protection/rules`, { json: rule });
      assert.equal(made.status, 201, made.text);
      assert.equal((await push(chart('kept', '1.0.0'))).status, 403);
      assert.equal((await push(chart('kept', '1.0.0'), { headers: basic(place.owner.token) })).status, 201);
    });
  });
});
