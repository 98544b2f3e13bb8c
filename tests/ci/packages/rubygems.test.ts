import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { gunzipSync, gzipSync, inflateSync } from 'node:zlib';
import { atOnce } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';
import { addPerson } from '../../support/scene.ts';
import { plainTar } from '../../support/tar.ts';
import { gem, needs } from './gem-files.ts';

const basic = (token: string) => ({ authorization: `Basic ${Buffer.from(`anybody:${token}`).toString('base64')}` });
/** Header sent by `gem push`. */
const bare = (token: string) => ({ authorization: token });

forEachEngine((engine) => {
  describe('Ruby gems', () => {
    let place: ProjectWithRoles;
    let stranger: string;
    const base = () => `${place.server.url}/api/v4/projects/${place.project.id}/packages/rubygems`;
    const rows = async (table: 'packages' | 'package_files' | 'rubygems_files' | 'deleted_package_files') =>
      (await place.server.db.read.selectFrom(table).selectAll().execute()).length;

    async function push(content: Buffer, headers: Record<string, string> = bare(place.developer.token)) {
      const type = { 'content-type': 'application/octet-stream' };
      const body = Uint8Array.from(content);
      const answer = await fetch(`${base()}/api/v1/gems`, { method: 'POST', headers: { ...type, ...headers }, body });
      return { status: answer.status, said: JSON.parse(await answer.text()) };
    }

    async function get(path: string, headers: Record<string, string> = basic(place.reporter.token)) {
      const answer = await fetch(`${base()}/${path}`, { headers });
      return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()), headers: answer.headers };
    }
    /** Which of these strings an index contains. Parsing by Ruby is covered elsewhere. */
    async function listed(index: string, ...texts: string[]) {
      const held = gunzipSync((await get(`${index}.4.8.gz`)).bytes).toString('latin1');
      return texts.filter((text) => held.includes(text));
    }

    before(async () => {
      place = await projectWithRoles(engine, 'gemmed');
      stranger = (await addPerson(place.server, 'stranger')).token;
    });

    it('are published, listed and downloaded', async () => {
      const lamp = gem('lamp', '1.0.0', { more: needs('oil', '~>', "'1.0'") });
      assert.deepEqual(await push(lamp), { status: 201, said: { message: '201 Created' } });
      assert.equal((await push(gem('lamp', '1.0.0', { platform: 'java' }))).status, 201);
      assert.equal((await push(gem('oil', '1.9.0'))).status, 201);
      assert.equal((await push(gem('oil', '1.10.0'))).status, 201);
      assert.equal((await push(gem('oil', '2.0.0.rc1'))).status, 201);
      const words = ['lamp', 'java', 'oil', '1.9.0', '1.10.0', '2.0.0.rc1'];
      assert.deepEqual(await listed('specs', ...words), ['lamp', 'java', 'oil', '1.9.0', '1.10.0']);
      assert.deepEqual(await listed('latest_specs', ...words), ['lamp', 'java', 'oil', '1.10.0']);
      assert.deepEqual(await listed('prerelease_specs', ...words), ['oil', '2.0.0.rc1']);
      const sent = await get('gems/lamp-1.0.0.gem');
      assert.deepEqual([sent.bytes, sent.headers.get('x-content-type-options')], [lamp, 'nosniff']);
      assert.equal((await get('gems/lamp-1.0.0-java.gem')).status, 200);
      const specification = inflateSync((await get('quick/Marshal.4.8/lamp-1.0.0.gemspec.rz')).bytes).toString();
      for (const word of ['Gem::Specification', 'lamp', 'Shines: "é"', 'Gem::Dependency', 'oil', '~>']) {
        assert.ok(specification.includes(word), word);
      }
      const needed = (await get('api/v1/dependencies?gems=lamp,none,../x')).bytes;
      assert.equal(needed.subarray(0, 4).toString('hex'), '04085b07');
      assert.ok(needed.includes('~> 1.0'));
      assert.equal((await get('api/v1/dependencies')).bytes.toString('hex'), '04085b00');
      const { body } = await place.asOwner(`GET ${place.base}/packages?package_type=rubygems`);
      assert.deepEqual(
        body.map(({ name, version }: Record<string, string>) => `${name} ${version}`),
        ['lamp 1.0.0', 'oil 1.9.0', 'oil 1.10.0', 'oil 2.0.0.rc1'],
      );
      const files = (await place.asOwner(`GET ${place.base}/packages/${body[0].id}/package_files`)).body;
      assert.deepEqual(
        files.map(({ file_name }: Record<string, string>) => file_name),
        ['lamp-1.0.0.gem', 'lamp-1.0.0-java.gem'],
      );
    });

    it('are published once, also for concurrent requests, and again after deletion', async () => {
      const twice = await push(gem('lamp', '1.0.0', { more: 'description: other\n' }));
      assert.deepEqual([twice.status, twice.said.message], [409, "Gem 'lamp' with version '1.0.0' already exists"]);
      const answers = await atOnce(4, (one) => push(gem('race', '1.0.0', { more: `description: "${one}"\n` })));
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 409, 409, 409]);
      const [race] = (await place.asOwner(`GET ${place.base}/packages?package_name=race`)).body;
      assert.equal((await place.asDeveloper(`DELETE ${place.base}/packages/${race.id}`)).status, 403);
      assert.equal((await place.asOwner(`DELETE ${place.base}/packages/${race.id}`)).status, 204);
      assert.deepEqual(await listed('specs', 'race'), []);
      assert.equal((await get('gems/race-1.0.0.gem')).status, 404);
      assert.equal((await get('quick/Marshal.4.8/race-1.0.0.gemspec.rz')).status, 404);
      assert.equal((await push(gem('race', '1.0.0'))).status, 201);
    });

    it('can be uploaded as a form', async () => {
      const body = new FormData();
      body.append('file', new Blob([Uint8Array.from(gem('form', '1.0.0'))]), '../any name');
      const headers = { 'private-token': place.developer.token };
      const answer = await fetch(`${base()}/api/v1/gems`, { method: 'POST', headers, body });
      assert.equal(answer.status, 201, await answer.text());
      assert.equal((await get('gems/form-1.0.0.gem')).status, 200);
      const wrong = new FormData();
      wrong.append('other', new Blob(['x']), 'x');
      const refused = await fetch(`${base()}/api/v1/gems`, { method: 'POST', headers, body: wrong });
      assert.deepEqual(await refused.json(), { error: 'file is missing' });
    });

    it('are rejected if invalid, without leftovers', async () => {
      const { server, reporter, guest, asOwner } = place;
      const counts = () => Promise.all([rows('packages'), rows('package_files'), rows('rubygems_files')]);
      const counted = await counts();
      const refused = async (content: Buffer) => {
        const { status, said } = await push(content);
        assert.equal(status, 400);
        return said.message.replace('400 Bad request - ', '');
      };
      assert.match(await refused(Buffer.from('bytes')), /cannot be unpacked/);
      assert.match(await refused(Buffer.alloc(0)), /cannot be unpacked/);
      assert.equal(await refused(plainTar({ 'a/metadata.gz': '' })), 'The gem has no metadata');
      const invalid = 'The metadata of the gem is invalid';
      assert.equal(await refused(plainTar({ 'metadata.gz': 'bytes' })), invalid);
      assert.equal(await refused(plainTar({ 'metadata.gz': gzipSync(Buffer.alloc(64 * 1024 ** 2)) })), invalid);
      assert.equal(await refused(gem('../bad', '1.0.0')), invalid);
      const good = gem('bad', '1.0.0');
      for (const carried of [bare, basic]) {
        assert.equal((await push(good, carried(reporter.token))).status, 403);
        assert.equal((await push(good, carried('glpat-nonsense'))).status, 401);
        assert.equal((await push(good, carried(stranger))).status, 404);
      }
      assert.equal((await push(good, {})).status, 401);
      const paths = [
        'specs.4.8.gz',
        'gems/lamp-1.0.0.gem',
        'quick/Marshal.4.8/lamp-1.0.0.gemspec.rz',
        'api/v1/dependencies',
      ];
      for (const path of paths) {
        assert.equal((await get(path, bare(reporter.token))).status, 200);
        assert.equal((await get(path, basic(stranger))).status, 404);
        assert.equal((await get(path, basic(guest.token))).status, 403);
        const response = await get(path, {});
        assert.deepEqual([response.status, response.headers.has('www-authenticate')], [401, true]);
      }
      for (const path of ['other.4.8.gz', 'toString', 'gems/..%2f..%2fx', 'quick/Marshal.4.8/lamp-1.0.0.gem']) {
        assert.equal((await get(path)).status, 404, path);
      }
      const many = Array.from({ length: 201 }, (_, one) => `g${one}`).join();
      assert.equal((await get(`api/v1/dependencies?gems=${many}`)).status, 400);
      await asOwner(`PUT ${place.base}`, { json: { package_registry_access_level: 'disabled' } });
      assert.equal((await get('specs.4.8.gz')).status, 403);
      assert.equal((await push(good)).status, 403);
      await asOwner(`PUT ${place.base}`, { json: { package_registry_access_level: 'enabled' } });
      assert.deepEqual(await counts(), counted);
      assert.equal(await rows('deleted_package_files'), 0);
      assert.deepEqual(readdirSync(join(server.running.services.config.data, 'tmp', 'uploads')), []);
    });

    it('can be accessed with deploy tokens with matching scopes, also as a bare header', async () => {
      const grant = async (scope: string) =>
        (await place.asOwner(`POST ${place.base}/deploy_tokens`, { json: { name: scope, scopes: [scope] } })).body
          .token;
      const [reading, writing] = [await grant('read_package_registry'), await grant('write_package_registry')];
      assert.equal((await push(gem('robot', '1.0.0'), bare(reading))).status, 403);
      assert.equal((await push(gem('robot', '1.0.0'), bare(writing))).status, 201);
      assert.equal((await get('gems/robot-1.0.0.gem', basic(reading))).status, 200);
      assert.equal((await get('gems/robot-1.0.0.gem', bare(reading))).status, 200);
    });

    it('are the only routes that accept a bare token', async () => {
      const headers = bare(place.owner.token);
      const answer = await fetch(`${place.server.url}/api/v4/projects/${place.project.id}/packages`, { headers });
      assert.notEqual(answer.status, 200);
    });
  });
});
