import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addMember, addPerson, addProject, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('issues of a deleted user', () => {
    let server: TestServer;
    let owner: Person;
    let project: Project;

    /** Adds a user who created an issue, worked on another, and assigned a third. */
    async function busyPerson(name: string) {
      const person = await addPerson(server, name);
      await addMember(server, project, person, Role.reporter);
      const as = { token: person.token };
      const issues = `/projects/${project.id}/issues`;
      const own = await server.must(`POST ${issues}?title=By+${name}&labels=bug&assignee_id=${owner.user.id}`, as);
      const other = await server.must(`POST ${issues}?title=For+${name}`, { token: owner.token });
      await server.must(`POST ${issues}/${other.iid}/notes?body=Hello`, as);
      await server.must(`POST ${issues}/${other.iid}/add_spent_time?duration=1h`, as);
      await server.must(`PUT ${issues}/${other.iid}?state_event=close&title=Done+by+${name}`, as);
      return { person, own: `${issues}/${own.iid}`, other: `${issues}/${other.iid}` };
    }

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      project = await addProject(server, owner, 'left');
    });

    it('are transferred to the ghost user', async () => {
      const { person, own, other } = await busyPerson('soft');
      assert.equal((await server.api(`DELETE /users/${person.user.id}`)).status, 204);
      const ghost = (await server.must(`GET ${own}`)).author;
      assert.equal(ghost.username, 'ghost');
      assert.equal((await server.must(`GET ${other}`)).closed_by.id, ghost.id);
      const notes = await server.must(`GET ${other}/notes`);
      assert.ok(notes.length >= 3);
      assert.ok(notes.every(({ author }: { author: { id: number } }) => author.id === ghost.id));
    });

    it('are deleted with the user on a hard delete', async () => {
      const { person, own, other } = await busyPerson('hard');
      assert.equal((await server.api(`DELETE /users/${person.user.id}?hard_delete=true`)).status, 204);
      assert.equal((await server.api(`GET ${own}`)).status, 404);
      assert.equal((await server.must(`GET ${other}`)).closed_by, null);
      assert.deepEqual(await server.must(`GET ${other}/notes`), []);
    });
  });
});
