import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { Role } from '../../../src/access/roles.ts';
import { removeExpired } from '../../../src/ci/dependency-proxy/cache/removal.ts';
import { forEachEngine } from '../../support/engines.ts';
import { askGraphql, mustGraphql } from '../../support/graphql.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import { rootToken, startTestServer, type TestServer } from '../../support/server.ts';
import { basic, RegistryClient, sha256 } from '../registry/registry-client.ts';
import { startUpstream, type Upstream } from './upstream.ts';

const day = 24 * 60 * 60 * 1000;

forEachEngine((engine) => {
  describe('dependency proxy cache', () => {
    let upstream: Upstream;
    let server: TestServer;
    let group: number;
    let base: string;
    let guest: Person;
    let client: RegistryClient;

    const files = async () => {
      const place = join(server.running.services.config.data, 'storage', 'dependency-proxy');
      const found = await readdir(place, { recursive: true, withFileTypes: true }).catch(() => []);
      return found.filter((one) => one.isFile()).length;
    };
    const settled = () => server.running.services.queue.drain();
    /** Pulls a complete image with one layer. */
    const pull = async (name: string, tag: string, path = 'house') => {
      upstream.push(name, tag, `${name} ${tag}`);
      const at = `/v2/${path}/dependency_proxy/containers/${name}`;
      const response = [await client.call(`GET ${at}/manifests/${tag}`)];
      for (const bytes of ['{}', `${name} ${tag}`])
        response.push(await client.call(`GET ${at}/blobs/${sha256(bytes)}`));
      return response.map(({ status }) => status);
    };
    const counts = async (at = base) => {
      const { image_count, blob_count } = await server.must(`GET ${at}`);
      return [image_count, blob_count];
    };

    before(async () => {
      upstream = await startUpstream();
      server = await startTestServer(engine, ['--dependency-proxy-url', upstream.url, '--allow-local-egress']);
      group = (await server.must('POST /groups', { json: { name: 'House', path: 'House' } })).id;
      base = `/groups/${group}/dependency_proxy`;
      guest = await addPerson(server, 'guest');
      const json = { user_id: guest.user.id, access_level: Role.guest };
      await server.must(`POST /groups/${group}/members`, { json });
      client = new RegistryClient(server.url, basic('me', rootToken));
    });

    it('is listed to members, without the settings', async () => {
      assert.deepEqual(await pull('team/one', '1'), [200, 200, 200]);
      assert.deepEqual(await pull('team/one', '2'), [200, 200, 200]);
      const { host } = new URL(server.url);
      const seen = (await server.api(`GET ${base}`, { token: guest.token })).body;
      const prefix = `${host}/house/dependency_proxy/containers`;
      assert.deepEqual([seen.enabled, seen.image_prefix, seen.image_count, seen.blob_count], [true, prefix, 2, 3]);
      assert.deepEqual([seen.identity, seen.ttl_policy], [undefined, undefined]);
      const list = await server.api(`GET ${base}/manifests?per_page=1`, { token: guest.token });
      assert.equal(list.headers.get('x-total'), '2');
      assert.deepEqual([list.body[0].image, list.body[0].tags], ['team/one', ['2']]);
      const blobs = await server.must(`GET ${base}/blobs`, { token: guest.token });
      assert.deepEqual(
        blobs.map(({ digest }: { digest: string }) => digest),
        ['team/one 2', 'team/one 1', '{}'].map(sha256).toSorted((a, b) => order(blobs, a) - order(blobs, b)),
      );
      const stranger = await addPerson(server, 'stranger');
      for (const path of ['', '/manifests', '/blobs']) {
        assert.equal((await server.api(`GET ${base}${path}`, { token: stranger.token })).status, 404);
        assert.equal((await server.api(`GET ${base}${path}`, { token: null })).status, 401);
      }
      const { root_storage_statistics } = (await server.must('GET /groups?statistics=true')).find(
        ({ id }: { id: number }) => id === group,
      );
      assert.equal(root_storage_statistics.dependency_proxy_size, '{}team/one 1team/one 2'.length);
    });

    it('settings can only be updated by Owners', async () => {
      const maintainer = await addPerson(server, 'maintainer');
      const member = { user_id: maintainer.user.id, access_level: Role.maintainer };
      await server.must(`POST /groups/${group}/members`, { json: member });
      for (const token of [guest.token, maintainer.token]) {
        assert.equal((await server.api(`PUT ${base}`, { token, json: { enabled: false } })).status, 403);
        assert.equal((await server.api(`DELETE ${base}/cache`, { token })).status, 403);
      }
      const off = await server.must(`PUT ${base}`, { json: { enabled: false } });
      assert.deepEqual([off.enabled, off.ttl_policy.enabled, off.ttl_policy.ttl], [false, false, 90]);
      assert.deepEqual(await pull('team/one', '1'), [404, 404, 404]);
      assert.equal((await server.must(`PUT ${base}`, { json: { enabled: true } })).enabled, true);
      assert.deepEqual(await pull('team/one', '1'), [200, 200, 200]);
      for (const json of [{ ttl: 0 }, { identity: 'me' }, { secret: 'x' }, { ttl: 'x' }, { enabled: 'perhaps' }]) {
        assert.equal((await server.api(`PUT ${base}`, { json })).status, 400, JSON.stringify(json));
      }
      await server.must(`PUT ${base}`, { json: { identity: 'me', secret: 'very secret' } });
      const { secret } = await server.db.read
        .selectFrom('dependency_proxy_settings')
        .select('secret')
        .where('group_id', '=', group)
        .executeTakeFirstOrThrow();
      assert.ok(secret !== null && !secret.includes('very secret'));
      await server.must(`PUT ${base}`, { json: { identity: null, secret: null } });
    });

    it('is available in GraphQL', async () => {
      const query = `{ group(fullPath: "house") {
        dependencyProxyImagePrefix dependencyProxyImageCount dependencyProxyBlobCount dependencyProxyTotalSize
        dependencyProxySetting { enabled identity } dependencyProxyImageTtlPolicy { enabled ttl }
        dependencyProxyManifests(first: 1) { count nodes { imageName fileName digest size } }
        dependencyProxyBlobs { count nodes { fileName size } } } }`;
      const { group: owned } = await mustGraphql(server, query);
      assert.deepEqual(owned.dependencyProxySetting, { enabled: true, identity: null });
      assert.deepEqual(owned.dependencyProxyImageTtlPolicy, { enabled: false, ttl: 90 });
      assert.deepEqual([owned.dependencyProxyImageCount, owned.dependencyProxyBlobCount], [2, 3]);
      assert.equal(owned.dependencyProxyManifests.nodes[0].imageName, 'team/one:2');
      assert.equal(owned.dependencyProxyBlobs.count, 3);
      const { group: seen } = await mustGraphql(server, query, {}, { token: guest.token });
      assert.deepEqual([seen.dependencyProxySetting, seen.dependencyProxyImageTtlPolicy], [null, null]);
      assert.equal(seen.dependencyProxyImageCount, 2);
      const set = `mutation { updateDependencyProxySettings(input: { groupPath: "house", enabled: true, identity: "me",
        secret: "x" }) { dependencyProxySetting { enabled identity } errors } }`;
      const { updateDependencyProxySettings: changed } = await mustGraphql(server, set);
      assert.deepEqual(changed, { dependencyProxySetting: { enabled: true, identity: 'me' }, errors: [] });
      assert.ok((await askGraphql(server, set, {}, { token: guest.token })).body.errors);
      const ttl = (days: number) => `mutation { updateDependencyProxyImageTtlGroupPolicy(input: { groupPath: "house",
        enabled: true, ttl: ${days} }) { dependencyProxyImageTtlPolicy { enabled ttl } errors } }`;
      const { updateDependencyProxyImageTtlGroupPolicy: policy } = await mustGraphql(server, ttl(30));
      assert.deepEqual(policy, { dependencyProxyImageTtlPolicy: { enabled: true, ttl: 30 }, errors: [] });
      const { updateDependencyProxyImageTtlGroupPolicy: wrong } = await mustGraphql(server, ttl(0));
      assert.equal(wrong.errors.length, 1);
      await server.must(`PUT ${base}`, { json: { identity: '', secret: '', ttl_enabled: false } });
    });

    it('entries expire after the TTL of the group', async () => {
      const { services } = server.running;
      const stored = await files();
      await removeExpired(services, undefined, Date.now() + 400 * day);
      assert.deepEqual(await counts(), [2, 3]);
      await server.must(`PUT ${base}`, { json: { ttl_enabled: true, ttl: 30 } });
      await removeExpired(services, undefined, Date.now() + 29 * day);
      assert.deepEqual(await counts(), [2, 3]);
      await removeExpired(services, undefined, Date.now() + 31 * day);
      await settled();
      assert.deepEqual([await counts(), await files()], [[0, 0], stored - 3]);
      assert.deepEqual(await pull('team/one', '1'), [200, 200, 200]);
    });

    it('can be purged by Owners', async () => {
      assert.deepEqual(await counts(), [1, 2]);
      const stored = await files();
      const response = await server.api(`DELETE ${base}/cache`);
      assert.equal(response.status, 202);
      await settled();
      assert.deepEqual([await counts(), await files()], [[0, 0], stored - 2]);
      assert.deepEqual(await pull('team/one', '1'), [200, 200, 200]);
    });

    it('is deleted with the group and moves with it', async () => {
      const { id } = await server.must('POST /groups', { json: { name: 'hut', path: 'hut' } });
      assert.deepEqual(await pull('team/two', '1', 'hut'), [200, 200, 200]);
      const stored = await files();
      await server.must(`POST /groups/${id}/transfer`, { json: { group_id: group } });
      upstream.given.splice(0);
      assert.deepEqual(await pull('team/two', '1', 'house/hut'), [200, 200, 200]);
      assert.deepEqual(upstream.given, ['HEAD team/two/manifests/1']);
      assert.deepEqual(await pull('team/two', '1', 'hut'), [404, 404, 404]);
      await server.must(`DELETE /groups/${id}`);
      const { full_path } = await server.must(`GET /groups/${id}`);
      const json = { full_path, permanently_remove: true };
      await server.must(`DELETE /groups/${id}`, { json });
      await settled();
      assert.equal(await files(), stored - 2);
      assert.deepEqual(await counts(), [1, 2]);
    });

    it('is unavailable if disabled for the instance', async () => {
      const other = await startTestServer(engine, ['--dependency-proxy', 'off']);
      const { id } = await other.must('POST /groups', { json: { name: 'House', path: 'house' } });
      assert.equal((await other.api(`GET /groups/${id}/dependency_proxy`)).status, 404);
      const stranger = new RegistryClient(other.url, basic('me', rootToken));
      const response = await stranger.call('GET /v2/house/dependency_proxy/containers/a/b/manifests/1');
      assert.equal(response.status, 404);
    });
  });
});

/** Index of a digest in a list. */
const order = (list: readonly { digest: string }[], digest: string) => list.findIndex((one) => one.digest === digest);
