import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { commitFiles } from '../../namespaces/projects/commit.ts';
import { join } from '../../namespaces/projects/people.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson, addProject, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('repository maintenance', () => {
    let server: TestServer;
    let ann: Person;
    let bob: Person;
    let project: { id: number };
    before(async () => {
      server = await startTestServer(engine);
      ann = await addPerson(server, 'ann');
      bob = await addPerson(server, 'bob');
      project = await addProject(server, ann, 'kept', 'public');
    });

    it('shows the storage path to administrators', async () => {
      const storage = await server.must(`GET /projects/${project.id}/storage`);
      assert.match(storage.disk_path, /^@hashed\/[0-9a-f]{2}\/[0-9a-f]{2}\/[0-9a-f]{64}$/);
      assert.deepEqual([storage.project_id, storage.repository_storage], [project.id, 'default']);
      assert.equal((await server.api(`GET /projects/${project.id}/storage`, ann)).status, 403);
    });

    it('runs housekeeping at the request of a maintainer', async () => {
      const maintainer = await addPerson(server, 'maintainer');
      await join(server, maintainer, { project_id: project.id }, 40);
      const tidy = await server.api(`POST /projects/${project.id}/housekeeping?task=prune`, maintainer);
      assert.deepEqual([tidy.status, tidy.text], [201, 'null']);
      await server.running.services.queue.drain();
      assert.equal((await server.api(`POST /projects/${project.id}/housekeeping`, maintainer)).status, 201);
      assert.equal((await server.api(`POST /projects/${project.id}/housekeeping`, bob)).status, 403);
      const wrong = await server.api(`POST /projects/${project.id}/housekeeping?task=x`, ann);
      assert.deepEqual(wrong.body, { error: 'task does not have a valid value' });
      assert.equal((await server.api(`POST /projects/${project.id}/repository_size`, ann)).status, 201);
    });

    it('schedules housekeeping after a push', async () => {
      const { id } = await addProject(server, ann, 'pushed');
      await commitFiles(server, ann, id, { a: 'b' });
      const waiting = await server.db.read
        .selectFrom('jobs')
        .select('run_at')
        .where('kind', '=', 'projects.housekeep')
        .where('dedupe_key', '=', `${id}`)
        .execute();
      assert.equal(waiting.length, 1);
    });

    it('rejects housekeeping that is already in progress', async () => {
      const { id } = await addProject(server, ann, 'busy');
      await server.db.write((trx) =>
        trx.updateTable('projects').set({ housekeeping_since: Date.now() }).where('id', '=', id).execute(),
      );
      assert.equal((await server.api(`POST /projects/${id}/housekeeping`, ann)).status, 409);
    });
  });
});
