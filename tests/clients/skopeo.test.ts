import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { Role } from '../../src/access/roles.ts';
import {
  basic,
  descriptor,
  image,
  imageType,
  indexType,
  RegistryClient,
  sha256,
} from '../ci/registry/registry-client.ts';
import { atEnd } from '../support/at-end.ts';
import { forEachEngine } from '../support/engines.ts';
import { addPerson } from '../support/scene.ts';
import { rootToken, startTestServer, type TestServer } from '../support/server.ts';
import { missing } from '../support/tools.ts';

forEachEngine((engine) => {
  describe('skopeo', { skip: missing('skopeo') }, () => {
    let upstream: TestServer;
    let server: TestServer;
    let group: number;
    let credentials: string;
    let folder: string;
    const layer = Buffer.alloc(5_000_000, 'layer');

    /** The upstream registry is another Hearth server with the image in its group `up`. */
    before(async () => {
      folder = mkdtempSync(join(tmpdir(), 'hearth-skopeo-'));
      atEnd(() => rmSync(folder, { recursive: true, force: true }));
      upstream = await startTestServer(engine);
      const up = await upstream.must('POST /groups', { json: { name: 'up', path: 'up', visibility: 'public' } });
      for (const name of ['library', 'team']) {
        const json = { name, path: name, namespace_id: up.id, visibility: 'public' };
        await upstream.must('POST /projects', { json });
      }
      const pusher = new RegistryClient(upstream.url, basic('me', rootToken));
      for (const name of ['up/library/tiny', 'up/team/tool']) await pushImage(pusher, name);
      const through = ['--dependency-proxy-url', `${upstream.url}/up`, '--allow-local-egress'];
      server = await startTestServer(engine, through);
      group = (await server.must('POST /groups', { json: { name: 'House', path: 'house' } })).id;
      const guest = await addPerson(server, 'guest');
      const member = { user_id: guest.user.id, access_level: Role.guest };
      await server.must(`POST /groups/${group}/members`, { json: member });
      credentials = `me:${guest.token}`;
    });

    /** Pushes a multi-platform image with a readable configuration. */
    async function pushImage(client: RegistryClient, name: string) {
      await client.pushBlob(name, layer);
      const platforms = [];
      for (const architecture of ['amd64', 'arm64']) {
        const rootfs = { type: 'layers', diff_ids: [sha256(layer)] };
        const config = JSON.stringify({ architecture, os: 'linux', rootfs, config: {} });
        await client.pushBlob(name, config);
        const manifest = JSON.stringify(image(config, layer));
        assert.equal((await client.putManifest(name, sha256(manifest), manifest)).status, 201);
        platforms.push({ ...descriptor(manifest, imageType), platform: { os: 'linux', architecture } });
      }
      const index = { schemaVersion: 2, mediaType: indexType, manifests: platforms };
      assert.equal((await client.putManifest(name, '1.0', index, indexType)).status, 201);
    }

    function skopeo(...args: string[]) {
      const env = { PATH: process.env.PATH, HOME: folder, REGISTRY_AUTH_FILE: join(folder, 'none.json') };
      const child = spawn('skopeo', ['--insecure-policy', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
      let out = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (out += chunk));
      return new Promise<{ code: number | null; out: string }>((resolve, reject) => {
        child.once('error', reject);
        child.once('close', (code) => resolve({ code, out }));
      });
    }
    const copy = (name: string, to: string, ...more: string[]) => {
      const from = `docker://${new URL(server.url).host}/house/dependency_proxy/containers/${name}`;
      return skopeo(
        'copy',
        ...more,
        '--src-tls-verify=false',
        '--src-creds',
        credentials,
        from,
        `dir:${join(folder, to)}`,
      );
    };
    const kept = async () => {
      const { image_count, blob_count } = await server.must(`GET /groups/${group}/dependency_proxy`);
      return [image_count, blob_count];
    };

    it('copies and inspects images through a group', async () => {
      const all = await copy('tiny:1.0', 'all', '--all');
      assert.equal(all.code, 0, all.out);
      assert.deepEqual(await kept(), [3, 3]);
      const one = await copy('team/tool:1.0', 'one', '--override-arch', 'arm64');
      assert.equal(one.code, 0, one.out);
      assert.deepEqual(await kept(), [5, 3]);
      const at = `docker://${new URL(server.url).host}/house/dependency_proxy/containers/tiny:1.0`;
      const raw = await skopeo('inspect', '--raw', '--tls-verify=false', '--creds', credentials, at);
      assert.equal(JSON.parse(raw.out).manifests.length, 2, raw.out);
      const digest = sha256(raw.out);
      const exact = await copy(`tiny@${digest}`, 'exact', '--all');
      assert.equal(exact.code, 0, exact.out);
    });

    it('reports missing images and wrong credentials', async () => {
      const none = await copy('tiny:2.0', 'none');
      assert.notEqual(none.code, 0);
      assert.match(none.out, /manifest unknown/);
      credentials = 'me:wrong';
      const wrong = await copy('tiny:1.0', 'wrong');
      assert.notEqual(wrong.code, 0);
    });

    it('copies cached images while the upstream registry is down', async () => {
      credentials = `me:${rootToken}`;
      await upstream.running.close();
      const away = await copy('tiny:1.0', 'away', '--all');
      assert.equal(away.code, 0, away.out);
      const none = await copy('tiny:2.0', 'never');
      assert.match(none.out, /503 Service Unavailable/);
    });
  });
});
