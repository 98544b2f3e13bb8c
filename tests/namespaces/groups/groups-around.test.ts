import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { Role } from '../../../src/access/roles.ts';
import { atOnce, inRounds } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe("groups around a user's roles", () => {
    let server: TestServer;
    let created = 0;

    before(async () => {
      server = await startTestServer(engine);
    });

    async function addGroup(parent?: { id: number }): Promise<{ id: number }> {
      created += 1;
      const json = {
        name: `g${created}`,
        path: `g${created}`,
        visibility: 'private',
        ...(parent && { parent_id: parent.id }),
      };
      return server.must('POST /groups', { json });
    }
    async function addProject(group: { id: number }): Promise<{ id: number }> {
      created += 1;
      return server.must('POST /projects', {
        json: { name: `p${created}`, namespace_id: group.id, visibility: 'private' },
      });
    }
    const enter = (place: string, { user }: Person, more: object = {}) =>
      server.must(`POST /${place}/members`, { json: { user_id: user.id, access_level: Role.developer, ...more } });
    const leave = (place: string, { user }: Person) => server.must(`DELETE /${place}/members/${user.id}`);

    /** Returns the ids of the groups visible to a user, checking that lists and single reads agree. */
    async function known(person: Person, among: readonly { id: number }[]): Promise<number[]> {
      const listed: { id: number }[] = await server.must('GET /groups?per_page=100', { token: person.token });
      const numbers = among.map(({ id }) => id).filter((id) => listed.some((group) => group.id === id));
      for (const { id } of among) {
        const { status } = await server.api(`GET /groups/${id}`, { token: person.token });
        assert.equal(status, numbers.includes(id) ? 200 : 404, `group ${id}`);
      }
      return numbers;
    }

    /** Compares the rows maintained by triggers with a full computation. */
    async function assertKept(): Promise<void> {
      const { rows: kept } = await sql`select user_id, namespace_id, places from derived_groups_around
        order by user_id, namespace_id`.execute(server.db.read);
      const { rows: found } = await sql`select m.user_id, a.ancestor_id as namespace_id, count(*) as places
        from members m left join projects p on p.id = m.project_id
          join namespace_ancestors a on a.namespace_id = coalesce(m.namespace_id, p.namespace_id)
        where m.expires_at is null group by m.user_id, a.ancestor_id
        order by m.user_id, a.ancestor_id`.execute(server.db.read);
      assert.deepEqual(kept, found);
    }

    it('include the ancestors of a project until the last role in it is removed', async () => {
      const top = await addGroup();
      const middle = await addGroup(top);
      const low = await addGroup(middle);
      const beside = await addGroup(top);
      const [one, other] = [await addProject(low), await addProject(middle)];
      const person = await addPerson(server, 'visitor');
      const all = [top, middle, low, beside];
      assert.deepEqual(await known(person, all), []);
      await enter(`projects/${one.id}`, person);
      await enter(`projects/${other.id}`, person);
      assert.deepEqual(await known(person, all), [top.id, middle.id, low.id]);
      await leave(`projects/${one.id}`, person);
      assert.deepEqual(await known(person, all), [top.id, middle.id]);
      await server.db.write((trx) => sql`delete from projects where id = ${other.id}`.execute(trx));
      assert.deepEqual(await known(person, all), []);
      await assertKept();
    });

    it('include the ancestors and descendants of a group with a role', async () => {
      const top = await addGroup();
      const middle = await addGroup(top);
      const low = await addGroup(middle);
      const person = await addPerson(server, 'visitor');
      await enter(`groups/${middle.id}`, person);
      assert.deepEqual(await known(person, [top, middle, low]), [top.id, middle.id, low.id]);
      await server.db.write((trx) => sql`delete from users where id = ${person.user.id}`.execute(trx));
      await assertKept();
    });

    it('exclude expired roles before they are deleted', async () => {
      const top = await addGroup();
      const low = await addGroup(top);
      const person = await addPerson(server, 'visitor');
      const tomorrow = new Date(Date.now() + 86_400_000 * 2).toISOString().slice(0, 10);
      await enter(`groups/${low.id}`, person, { expires_at: tomorrow });
      assert.deepEqual(await known(person, [top, low]), [top.id, low.id]);
      await assertKept();
      await server.db.write((trx) =>
        sql`update members set expires_at = 1 where user_id = ${person.user.id}`.execute(trx),
      );
      assert.deepEqual(await known(person, [top, low]), []);
      await server.db.write((trx) =>
        sql`update members set expires_at = null where user_id = ${person.user.id}`.execute(trx),
      );
      assert.deepEqual(await known(person, [top, low]), [top.id, low.id]);
      await assertKept();
    });

    it("include those around projects and groups shared with the user's groups", async () => {
      const [team, lender, other] = [await addGroup(), await addGroup(), await addGroup()];
      const low = await addGroup(lender);
      const project = await addProject(await addGroup(other));
      const person = await addPerson(server, 'visitor');
      await enter(`groups/${team.id}`, person);
      assert.deepEqual(await known(person, [lender, low, other]), []);
      const share = { group_id: team.id, group_access: Role.developer };
      await server.must(`POST /groups/${low.id}/share`, { json: share });
      await server.must(`POST /projects/${project.id}/share`, { json: share });
      assert.deepEqual(await known(person, [lender, low, other]), [lender.id, low.id, other.id]);
    });

    it('are unchanged for a group shared with itself', async () => {
      const [top, outsider] = [await addGroup(), await addPerson(server, 'outsider')];
      const group = await addGroup(top);
      const person = await addPerson(server, 'visitor');
      await enter(`groups/${group.id}`, person, { access_level: Role.reporter });
      const share = { group_id: group.id, group_access: Role.owner };
      const shared = await server.must(`POST /groups/${group.id}/share`, { json: share });
      assert.deepEqual(
        shared.shared_with_groups.map(({ group_id }: { group_id: number }) => group_id),
        [group.id],
      );
      assert.deepEqual(await known(person, [top, group]), [top.id, group.id]);
      assert.deepEqual(await known(outsider, [top, group]), []);
      // The share grants at most the role that the member already has.
      const raised = await server.api(`PUT /groups/${group.id}`, { json: { description: 'x' }, token: person.token });
      assert.equal(raised.status, 403);
      await assertKept();
      assert.equal((await server.api(`DELETE /groups/${group.id}/share/${group.id}`)).status, 204);
      assert.deepEqual(await known(person, [top, group]), [top.id, group.id]);
      await assertKept();
    });

    it('follow transfers of groups and projects', async () => {
      const [from, to] = [await addGroup(), await addGroup()];
      const moved = await addGroup(from);
      const project = await addProject(await addGroup(moved));
      const single = await addProject(from);
      const person = await addPerson(server, 'visitor');
      await enter(`projects/${project.id}`, person);
      assert.deepEqual(await known(person, [from, to]), [from.id]);
      await server.must(`POST /groups/${moved.id}/transfer`, { json: { group_id: to.id } });
      assert.deepEqual(await known(person, [from, to]), [to.id]);
      await enter(`projects/${single.id}`, person);
      assert.deepEqual(await known(person, [from, to]), [from.id, to.id]);
      await server.must(`PUT /projects/${single.id}/transfer`, { json: { namespace: to.id } });
      assert.deepEqual(await known(person, [from, to]), [to.id]);
      await assertKept();
    });

    it('stay correct when roles change during concurrent transfers', async () => {
      const tops = [await addGroup(), await addGroup(), await addGroup()] as const;
      const moved = await addGroup(tops[0]);
      const low = await addGroup(moved);
      const projects = [await addProject(low), await addProject(tops[0])] as const;
      const people = await atOnce(4, () => addPerson(server, 'racer'));
      await inRounds(async (round) => {
        const at = (step: number) => tops[(round + step) % 3] ?? tops[0];
        const change = (place: string, person: Person) =>
          server.api(round % 2 === 0 ? `POST /${place}/members` : `DELETE /${place}/members/${person.user.id}`, {
            json: { user_id: person.user.id, access_level: Role.developer },
          });
        const answers = await Promise.all([
          server.api(`POST /groups/${moved.id}/transfer`, { json: { group_id: at(1).id } }),
          server.api(`PUT /projects/${projects[1].id}/transfer`, {
            json: { namespace: round % 2 === 0 ? low.id : at(2).id },
          }),
          ...people.flatMap((person) => [
            change(`groups/${low.id}`, person),
            ...projects.map(({ id }) => change(`projects/${id}`, person)),
          ]),
        ]);
        assert.deepEqual(
          answers.filter(({ status }) => status >= 500),
          [],
        );
        await assertKept();
      }, 8);
    });

    it('are removed with a deleted group', async () => {
      const top = await addGroup();
      const low = await addGroup(top);
      const person = await addPerson(server, 'visitor');
      await enter(`groups/${low.id}`, person);
      await server.db.write((trx) => sql`delete from namespaces where id = ${low.id}`.execute(trx));
      assert.deepEqual(await known(person, [top]), []);
      await assertKept();
    });
  });
});
