import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sql } from 'kysely';
import { basic, image, RegistryClient, sha256 } from '../../ci/registry/registry-client.ts';
import { engines, forEachEngine } from '../../support/engines.ts';
import { rootToken, startTestServer, type TestServer } from '../../support/server.ts';
import { backUp, newFolder, startRestored } from './restored.ts';

const countsOf = async ({ db }: TestServer) => {
  const { rows } = await sql<{ counted: string; owner: number; total: number }>`
    select counted, owner, total from derived_counts where counted <> 'audit_events.User' order by counted, owner`.execute(
    db.read,
  );
  return rows.map(({ counted, owner, total }) => `${counted} ${owner} ${total}`);
};

forEachEngine((engine) => {
  it('derived data and container images are available after a restore', async () => {
    const server = await startTestServer(engine);
    const project = await server.must('POST /projects', { json: { name: 'images', visibility: 'private' } });
    for (const name of ['one', 'two']) {
      await server.must(`POST /projects/${project.id}/deploy_tokens`, { json: { name, scopes: ['read_repository'] } });
      await server.must('POST /topics', { json: { name, title: name } });
    }
    const name = 'root/images/app';
    const layer = Buffer.alloc(300_000, 7);
    const digest = await new RegistryClient(server.url, basic('root', rootToken)).pushImage(name, 'v1', layer);
    const counts = await countsOf(server);
    assert.ok(counts.includes(`deploy_tokens.project_id ${project.id} 2`));

    const folder = await newFolder();
    const { folder: from } = await backUp(server, folder);
    for (const other of engines) {
      const restored = await startRestored(from, other);
      assert.deepEqual(await countsOf(restored), counts);
      const { headers } = await restored.api(`GET /projects/${project.id}/deploy_tokens?per_page=1`);
      assert.equal(headers.get('x-total'), '2');

      const client = new RegistryClient(restored.url, basic('root', rootToken));
      const manifest = await client.call(`GET /v2/${name}/manifests/v1`);
      assert.deepEqual([sha256(manifest.text), manifest.text], [digest, JSON.stringify(image('{}', layer))]);
      const blob = await client.call(`GET /v2/${name}/blobs/${sha256(layer)}`);
      assert.equal(sha256(Buffer.from(blob.text, 'latin1')), sha256(layer));
      // An existing layer need not be uploaded again, and a new tag is accepted.
      const taken = await client.call(`POST /v2/${name}/blobs/uploads/?mount=${sha256(layer)}`);
      assert.equal(taken.status, 201);
      assert.equal((await client.putManifest(name, 'v2', image('{}', layer))).status, 201);
      assert.deepEqual(await client.tags(name), ['v1', 'v2']);
      const { statistics } = await restored.must(`GET /projects/${project.id}?statistics=true`);
      assert.equal(statistics.container_registry_size, 300_002);
    }
  });
});
