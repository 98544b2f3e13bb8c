import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import { sql } from 'kysely';
import { Role } from '../../../src/access/roles.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('open issue count of a project', () => {
    let server: TestServer;
    let guest: { token: string; user: { id: number } };
    let project: { id: number };
    let made = 0;

    before(async () => {
      server = await startTestServer(engine);
      guest = await addPerson(server, 'guest');
    });

    beforeEach(async () => {
      project = await addProject();
    });

    async function addProject(): Promise<{ id: number }> {
      made += 1;
      const added = await server.must('POST /projects', { json: { name: `counted ${made}`, visibility: 'private' } });
      const member = { user_id: guest.user.id, access_level: Role.guest };
      await server.must(`POST /projects/${added.id}/members`, { json: member });
      return added;
    }

    const open = (title: string, more: object = {}, at = project): Promise<{ iid: number; id: number }> =>
      server.must(`POST /projects/${at.id}/issues`, { json: { title, ...more } });

    const change = (iid: number, json: object, at = project) =>
      server.must(`PUT /projects/${at.id}/issues/${iid}`, { json });

    /** The counts shown to an administrator and to a guest. */
    async function shown(at = project): Promise<number[]> {
      const all = await server.must(`GET /projects/${at.id}`);
      const some = await server.must(`GET /projects/${at.id}`, { token: guest.token });
      return [all.open_issues_count, some.open_issues_count];
    }

    it('follows all changes of an issue', async () => {
      assert.deepEqual(await shown(), [0, 0]);
      const plain = await open('plain');
      const secret = await open('secret', { confidential: true });
      assert.deepEqual(await shown(), [2, 1]);
      await change(plain.iid, { title: 'renamed' });
      await change(plain.iid, { confidential: true });
      assert.deepEqual(await shown(), [2, 0]);
      await change(plain.iid, { confidential: false, state_event: 'close' });
      assert.deepEqual(await shown(), [1, 0]);
      await change(plain.iid, { state_event: 'reopen' });
      assert.deepEqual(await shown(), [2, 1]);
      await server.must(`DELETE /projects/${project.id}/issues/${secret.iid}`);
      assert.deepEqual(await shown(), [1, 1]);
    });

    it('follows a moved issue', async () => {
      const target = await addProject();
      const moved = await open('goes');
      await server.must(`POST /projects/${project.id}/issues/${moved.iid}/move`, {
        json: { to_project_id: target.id },
      });
      assert.deepEqual(
        [await shown(), await shown(target)],
        [
          [0, 0],
          [1, 1],
        ],
      );
    });

    it('is correct after concurrent changes across projects', async () => {
      const places = [project, await addProject()] as const;
      const issues = await Promise.all(
        Array.from({ length: 12 }, async (_, n) => {
          const at = places[n % 2] ?? project;
          return { at, iid: (await open(`issue ${n}`, {}, at)).iid };
        }),
      );
      await Promise.all(issues.slice(0, 8).map(({ at, iid }) => change(iid, { state_event: 'close' }, at)));
      assert.deepEqual(await Promise.all(places.map((place) => shown(place))), [
        [2, 2],
        [2, 2],
      ]);
    });

    it('matches the actual count, and is deleted with the project', async () => {
      await open('stays');
      const deleted = await addProject();
      await open('goes', {}, deleted);
      await server.db.write((trx) => sql`delete from projects where id = ${deleted.id}`.execute(trx));
      const counted = await sql`select 'issues.' || state || '.' || confidential as counted, project_id as owner,
        count(*) as total from issues group by counted, project_id order by 1, 2`.execute(server.db.read);
      const stored = await sql<{ owner: number }>`select counted, owner, total from derived_counts
        where counted like 'issues.%' order by 1, 2`.execute(server.db.read);
      assert.deepEqual(stored.rows, counted.rows);
      assert.ok(stored.rows.every(({ owner }) => owner !== deleted.id));
    });
  });
});
