import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('contributed projects of a user', () => {
    let server: TestServer;

    before(async () => {
      server = await startTestServer(engine);
    });

    /** Compares the rows maintained by triggers with a full computation. */
    async function assertKept(): Promise<void> {
      const { rows: kept } = await sql`select user_id, project_id from derived_contributions
        order by user_id, project_id`.execute(server.db.read);
      const { rows: found } = await sql`select distinct author_id as user_id, project_id from events
        where author_id is not null and project_id is not null and action not in ('joined', 'left', 'expired')
        order by author_id, project_id`.execute(server.db.read);
      assert.deepEqual(kept, found);
    }

    it('are those with events of the user, each once, when events are added and deleted', async () => {
      const person = await addPerson(server, 'contributor');
      const other = await addPerson(server, 'other');
      const made: { id: number }[] = [];
      for (const name of ['one', 'two', 'three']) {
        const project = await server.must('POST /projects', { json: { name, visibility: 'public' } });
        await server.must(`POST /projects/${project.id}/members`, {
          json: { user_id: person.user.id, access_level: 30 },
        });
        made.push(project);
      }
      const [one, two, three] = made.map(({ id }) => id);
      const listed = async ({ user }: typeof person) =>
        (await server.must(`GET /users/${user.id}/contributed_projects?order_by=id&sort=asc`)).map(
          ({ id }: { id: number }) => id,
        );
      assert.deepEqual(await listed(person), [], 'joining is not a contribution');
      for (const id of [one, two, two]) {
        await server.must(`POST /projects/${id}/issues`, { token: person.token, json: { title: 'Issue' } });
      }
      assert.deepEqual(await listed(person), [one, two]);
      await assertKept();

      await server.db.write(async (trx) => {
        await sql`update events set author_id = ${other.user.id} where project_id = ${one}
          and author_id = ${person.user.id} and action = 'created'`.execute(trx);
        await sql`delete from events where id = (select min(id) from events where project_id = ${two}
          and author_id = ${person.user.id} and action = 'created')`.execute(trx);
      });
      assert.deepEqual([await listed(person), await listed(other)], [[two], [one]]);
      await assertKept();

      await server.db.write((trx) =>
        sql`update events set project_id = ${three} where author_id = ${person.user.id}
        and project_id = ${two} and action = 'created'`.execute(trx),
      );
      assert.deepEqual(await listed(person), [three]);
      await server.db.write((trx) => sql`delete from projects where id = ${three}`.execute(trx));
      assert.deepEqual(await listed(person), []);
      await assertKept();
    });
  });
});
