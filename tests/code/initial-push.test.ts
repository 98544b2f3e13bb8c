import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Role } from '../../src/access/roles.ts';
import { forEachEngine } from '../support/engines.ts';
import { addPerson } from '../support/scene.ts';
import { startTestServer } from '../support/server.ts';

forEachEngine((engine) => {
  describe('the first branch of a project in a group where no one may push to default branches', () => {
    it('is created by maintainers, and is protected afterwards', async () => {
      const server = await startTestServer(engine);
      const protection = { allowed_to_push: [{ access_level: 0 }], allowed_to_merge: [{ access_level: 40 }] };
      const group = await server.must('POST /groups', {
        json: { name: 'Locked', path: 'locked', default_branch_protection_defaults: protection },
      });
      const people = await Promise.all(
        [Role.owner, Role.maintainer, Role.developer].map(async (access_level) => {
          const person = await addPerson(server, 'member');
          await server.must(`POST /groups/${group.id}/members`, { json: { user_id: person.user.id, access_level } });
          return person;
        }),
      );
      const statuses: number[] = [];
      for (const [n, { token }] of people.entries()) {
        const empty = await server.must('POST /projects', { json: { name: `empty-${n}`, namespace_id: group.id } });
        const write = (path: string) => {
          const json = { branch: 'main', content: 'x', commit_message: 'Add' };
          return server.api(`POST /projects/${empty.id}/repository/files/${path}`, { token, json });
        };
        const answers = [await write('a.txt'), await write('b.txt')];
        statuses.push(...answers.map(({ status }) => status));
      }
      assert.deepEqual(statuses, [201, 403, 201, 403, 403, 403]);
      const json = { name: 'with readme', namespace_id: group.id, initialize_with_readme: true };
      const made = await server.must('POST /projects', { json, token: people[1]?.token ?? null });
      const [branch] = await server.must(`GET /projects/${made.id}/protected_branches`);
      assert.deepEqual([branch.name, branch.push_access_levels[0].access_level], ['main', 0]);
    });
  });
});
