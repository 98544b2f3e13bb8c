import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { cleanUp } from '../../../src/ci/registry/cleanup/policy.ts';
import { sweepRegistry } from '../../../src/ci/registry/cleanup/sweep.ts';
import { forEachEngine } from '../../support/engines.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';
import { addPerson } from '../../support/scene.ts';
import { basic, RegistryClient, sha256 } from './registry-client.ts';

const day = 24 * 60 * 60 * 1000;

forEachEngine((engine) => {
  describe('container repositories', () => {
    let place: ProjectWithRoles;
    let name: string;
    let owner: RegistryClient;
    const settled = () => place.server.running.services.queue.drain();
    const at = (rest = '') => `${place.base}/registry/repositories${rest}`;
    const as = (person: { readonly token: string }) => (call: string) =>
      place.server.api(call, { token: person.token });
    const named = async (inner: string) =>
      (await place.asOwner(`GET ${at('?tags=1&tags_count=1&per_page=100')}`)).body.find(
        (one: { name: string }) => one.name === inner,
      );
    const size = async () =>
      (await place.asOwner(`GET ${place.base}?statistics=true`)).body.statistics.container_registry_size;
    const files = async () => {
      const root = join(place.server.running.services.config.data, 'storage', 'registry');
      const entries = await readdir(root, { recursive: true, withFileTypes: true });
      return entries.filter((one) => one.isFile()).length;
    };

    before(async () => {
      place = await projectWithRoles(engine, 'Images');
      name = `${place.owner.user.username}/images`;
      owner = new RegistryClient(place.server.url, basic('whoever', place.owner.token));
      await owner.pushImage(name, 'v1', 'one');
      await owner.pushImage(name, 'v2', 'two');
      await owner.pushImage(`${name}/tools`, 'latest', 'tools');
    });

    it('are listed with their tags', async () => {
      const { body } = await place.server.api(`GET ${at()}`, { token: place.reporter.token });
      const { host } = new URL(place.server.url);
      assert.deepEqual(
        body.map((one: Record<string, unknown>) => [one.name, one.path, one.location, one.status, one.tags]),
        [
          ['', name, `${host}/${name}`, null, undefined],
          ['tools', `${name}/tools`, `${host}/${name}/tools`, null, undefined],
        ],
      );
      const root = await named('');
      assert.equal(root.tags_count, 2);
      assert.deepEqual(root.tags[0], { name: 'v1', path: `${name}:v1`, location: `${host}/${name}:v1` });
      const tags = await place.asDeveloper(`GET ${at(`/${root.id}/tags?per_page=1`)}`);
      assert.deepEqual([tags.body.length, tags.headers.get('x-total')], [1, '2']);
      const one = (await place.asDeveloper(`GET ${at(`/${root.id}/tags/v1`)}`)).body;
      assert.deepEqual([one.revision, one.short_revision], [sha256('{}').slice(7), sha256('{}').slice(7, 16)]);
      assert.deepEqual([one.total_size, one.digest.length], [5, 71]);
      assert.equal((await place.asDeveloper(`GET ${at(`/${root.id}/tags/none`)}`)).status, 404);
      const byNumber = await place.asDeveloper(`GET /registry/repositories/${root.id}?tags_count=true&size=true`);
      assert.deepEqual([byNumber.body.tags_count, byNumber.body.size], [2, 8]);
    });

    it('require permission to read images', async () => {
      const { id } = await named('');
      const stranger = as(await addPerson(place.server, 'stranger'));
      for (const path of [at(), at(`/${id}/tags`), at(`/${id}/tags/v1`), `/registry/repositories/${id}`]) {
        assert.equal((await stranger(`GET ${path}`)).status, 404, path);
        assert.equal((await as(place.guest)(`GET ${path}`)).status, 403, path);
        assert.equal((await as(place.reporter)(`GET ${path}`)).status, 200, path);
      }
      assert.equal((await stranger('GET /registry/repositories/999999')).status, 404);
      assert.equal((await as(place.reporter)(`DELETE ${at(`/${id}/tags/v1`)}`)).status, 403);
      assert.equal((await place.asDeveloper(`DELETE ${at(`/${id}`)}`)).status, 403);
      assert.equal((await place.asDeveloper(`DELETE ${at(`/${id}/tags?name_regex_delete=.*`)}`)).status, 403);
      assert.equal((await stranger(`DELETE ${at(`/${id}`)}`)).status, 404);
      assert.equal((await place.asOwner(`DELETE ${at('/999999')}`)).status, 404);
    });

    it('of a group are listed for users who can read them', async () => {
      const token = place.owner.token;
      const group = await place.server.must('POST /groups', { token, json: { name: 'g', path: `g-${engine}` } });
      const json = { path: 'inside', namespace_id: group.id };
      const inside = await place.server.must('POST /projects', { token, json });
      await owner.pushImage(`g-${engine}/inside/app`, 'v1');
      const list = async (person: { readonly token: string }) => {
        const { status, body } = await as(person)(`GET /groups/${group.id}/registry/repositories`);
        return status === 200 ? body.map((one: { path: string }) => one.path) : status;
      };
      assert.deepEqual(await list(place.owner), [`g-${engine}/inside/app`]);
      assert.deepEqual(await list(place.reporter), 404);
      await place.server.must(`PUT /groups/${group.id}`, { token, json: { visibility: 'public' } });
      assert.deepEqual(await list(place.reporter), []);
      await place.server.must(`PUT /projects/${inside.id}`, { token, json: { visibility: 'public' } });
      assert.deepEqual(await list(place.reporter), [`g-${engine}/inside/app`]);
      const closed = { container_registry_access_level: 'private' };
      await place.server.must(`PUT /projects/${inside.id}`, { token, json: closed });
      assert.deepEqual(await list(place.reporter), []);
      // Images of a renamed project are available under the new path.
      await place.server.must(`PUT /projects/${inside.id}`, { token, json: { path: 'renamed' } });
      assert.deepEqual(await owner.tags(`g-${engine}/renamed/app`), ['v1']);
      assert.equal((await owner.call(`GET /v2/g-${engine}/inside/app/tags/list`, { scopes: [] })).status, 401);
    });

    it('support bulk deletion of selected tags, once an hour', async () => {
      const repository = `${name}/many`;
      for (const tag of ['latest', 'dev-1', 'dev-2', 'dev-3', 'keep-1', 'v1']) await owner.pushImage(repository, tag);
      const { id } = await named('many');
      const remove = (query: string) => place.asOwner(`DELETE ${at(`/${id}/tags?${query}`)}`);
      for (const query of [
        '',
        'name_regex_delete=(',
        'name_regex_delete=a&older_than=soon',
        'name_regex_delete=a&keep_n=x',
      ]) {
        assert.equal((await remove(query)).status, 400, query);
      }
      assert.equal((await remove('name_regex_delete=.*&older_than=1d')).status, 202);
      await settled();
      assert.equal((await owner.tags(repository)).length, 6);
      const again = await remove('name_regex_delete=.*');
      assert.deepEqual([again.status, /already been made/.test(again.body.message)], [400, true]);
      await place.server.db.write((trx) =>
        trx.updateTable('registry_repositories').set({ tags_deleted_at: null }).where('id', '=', id).execute(),
      );
      assert.equal((await remove('name_regex_delete=dev-.*|keep-1|latest&name_regex_keep=k.*&keep_n=1')).status, 202);
      await settled();
      assert.deepEqual(await owner.tags(repository), ['dev-3', 'keep-1', 'latest', 'v1']);
    });

    it("are cleaned up by the project's policy at its cadence", async () => {
      const { services } = place.server.running;
      const repository = `${name}/policed`;
      for (const tag of ['latest', 'dev-1', 'dev-2', 'v1']) await owner.pushImage(repository, tag);
      const policy = { enabled: true, cadence: '7d', keep_n: 1, older_than: '7d', name_regex: 'dev-.*' };
      const set = (json: object) => place.server.must(`PUT ${place.base}`, { token: place.owner.token, json });
      await set({ container_expiration_policy_attributes: policy });
      await cleanUp(services);
      assert.equal((await owner.tags(repository)).length, 4);
      await place.server.db.write((trx) => trx.updateTable('registry_tags').set({ updated_at: 1 }).execute());
      await cleanUp(services, undefined, Date.now() + 6 * day);
      assert.equal((await owner.tags(repository)).length, 4);
      await set({ container_expiration_policy_attributes: { enabled: false } });
      await cleanUp(services, undefined, Date.now() + 8 * day);
      assert.equal((await owner.tags(repository)).length, 4);
      await set({ container_expiration_policy_attributes: { enabled: true } });
      await cleanUp(services, undefined, Date.now() + 8 * day);
      assert.deepEqual(await owner.tags(repository), ['dev-2', 'latest', 'v1']);
      assert.notEqual((await named('policed')).cleanup_policy_started_at, null);
      await set({ container_expiration_policy_attributes: { enabled: false } });
    });

    it('are deleted with their contents', async () => {
      const { services } = place.server.running;
      await sweepRegistry(services, undefined, Date.now() + 2 * day);
      const before = await size();
      await owner.pushImage(`${name}/doomed`, 'v1', 'doomed layer');
      assert.equal(await size(), before + 12);
      const { id } = await named('doomed');
      assert.equal((await place.asOwner(`DELETE ${at(`/${id}`)}`)).status, 202);
      await settled();
      assert.equal(await named('doomed'), undefined);
      assert.equal((await owner.call(`GET /v2/${name}/doomed/manifests/v1`)).code, 'NAME_UNKNOWN');
      // Content that a push in progress may rely on is kept for a day.
      await sweepRegistry(services);
      assert.equal(await size(), before + 12);
      await sweepRegistry(services, undefined, Date.now() + 2 * day);
      assert.equal(await size(), before);
      assert.equal((await owner.call(`HEAD /v2/${name}/blobs/${sha256('doomed layer')}`)).status, 404);
      assert.deepEqual(await owner.tags(name), ['v1', 'v2']);
      assert.equal((await owner.call(`GET /v2/${name}/blobs/${sha256('one')}`)).text, 'one');
    });

    it('keep content in use during garbage collection', async () => {
      const { services } = place.server.running;
      const repository = `${name}/swept`;
      const old = await owner.pushImage(repository, 'tag', 'old layer');
      await owner.pushImage(repository, 'tag', 'new layer');
      await owner.pushBlob(name, 'lonely');
      const started = await owner.call(`POST /v2/${name}/blobs/uploads/`);
      const upload = started.headers.get('location');
      assert.equal((await owner.call(`PATCH ${upload}`, { body: 'half' })).status, 202);
      await settled();
      const before = await files();
      await sweepRegistry(services);
      assert.equal((await owner.call(`GET /v2/${repository}/manifests/${old}`)).status, 200);
      assert.equal(await files(), before);
      await sweepRegistry(services, undefined, Date.now() + 2 * day);
      assert.equal((await owner.call(`GET /v2/${repository}/manifests/${old}`)).code, 'MANIFEST_UNKNOWN');
      assert.equal((await owner.call(`GET ${upload}`)).code, 'BLOB_UPLOAD_UNKNOWN');
      // The old layer, the unlinked blob and the abandoned upload.
      assert.equal(await files(), before - 3);
      assert.equal((await owner.call(`GET /v2/${repository}/blobs/${sha256('new layer')}`)).text, 'new layer');
      await owner.pushImage(repository, 'tag', 'old layer');
      assert.equal((await owner.call(`GET /v2/${repository}/blobs/${sha256('old layer')}`)).text, 'old layer');
    });

    it('are deleted with their project, along with blobs used nowhere else', async () => {
      const { services } = place.server.running;
      const token = place.owner.token;
      const other = await place.server.must('POST /projects', { token, json: { path: 'other' } });
      const path = `${place.owner.user.username}/other`;
      await sweepRegistry(services, undefined, Date.now() + 2 * day);
      const before = await files();
      await owner.pushImage(path, 'v1', 'one');
      await owner.pushImage(path, 'v2', 'of the other alone');
      const upload = (await owner.call(`POST /v2/${path}/blobs/uploads/`)).headers.get('location');
      assert.equal((await owner.call(`PATCH ${upload}`, { body: 'half' })).status, 202);
      assert.equal(await files(), before + 2);
      await place.server.must(`DELETE /projects/${other.id}`, { token });
      const full = encodeURIComponent(path);
      const marked = await place.server.api(`GET /projects/${other.id}`, { token });
      if (marked.status === 200) {
        const forever = `permanently_remove=true&full_path=${encodeURIComponent(marked.body.path_with_namespace)}`;
        await place.server.must(`DELETE /projects/${other.id}?${forever}`, { token });
      }
      await settled();
      assert.equal((await place.server.api(`GET /projects/${full}`, { token })).status, 404);
      await sweepRegistry(services);
      assert.equal(await files(), before);
      assert.equal((await owner.call(`GET /v2/${name}/blobs/${sha256('one')}`)).text, 'one');
    });
  });
});
