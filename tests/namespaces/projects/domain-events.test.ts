import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Area } from '../../../src/access/area.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { addGroup } from './people.ts';

forEachEngine((engine) => {
  describe('project events', () => {
    let server: TestServer;
    let ann: Person;
    let told: unknown[][] = [];
    let refused = false;

    const listener: Area = {
      name: 'listener',
      on: {
        'project.created': async (_, __, { project, namespace, by }) => {
          told.push(['created', project.path, namespace.full_path, by.username]);
        },
        'project.updated': async (_, __, { before, project, by }) => {
          if (refused) throw new Error('not this one');
          told.push(['updated', before.archived, project.archived, by?.username]);
        },
        'project.renamed': async (_, __, { formerPath, fullPath }) => {
          told.push(['renamed', formerPath, fullPath]);
        },
        'project.transferred': async (_, __, { from, to, before, project }) => {
          told.push(['transferred', from.full_path, to.full_path, before.namespace_id, project.namespace_id]);
        },
        'project.removed': async (_, trx, { project }) => {
          const row = await trx.selectFrom('projects').select('id').where('id', '=', project.id).executeTakeFirst();
          told.push(['removed', project.id, row?.id]);
        },
      },
    };
    const toldOf = async (call: string, json: object = {}) => {
      told = [];
      const answer = await server.api(call, { json, token: ann.token });
      assert.ok(answer.status < 300, `${call}: ${answer.text}`);
      return { body: answer.body, told };
    };

    before(async () => {
      server = await startTestServer(engine, [], [listener]);
      ann = await addPerson(server, 'ann');
      await server.must(`PUT /users/${ann.user.id}`, { json: { admin: true } });
    });

    it('announce each change with the state before and after', async () => {
      const home = ann.user.username;
      const created = await toldOf('POST /projects', { name: 'lived' });
      assert.deepEqual(created.told, [['created', 'lived', home, home]]);
      const { id, namespace } = created.body;
      const renamed = await toldOf(`PUT /projects/${id}`, { path: 'moved' });
      assert.deepEqual(renamed.told, [
        ['renamed', `${home}/lived`, `${home}/moved`],
        ['updated', 0, 0, home],
      ]);
      const described = await toldOf(`PUT /projects/${id}`, { description: 'x' });
      assert.deepEqual(described.told, [['updated', 0, 0, home]]);
      const archived = await toldOf(`POST /projects/${id}/archive`);
      assert.deepEqual(archived.told, [['updated', 0, 1, home]]);
      await toldOf(`POST /projects/${id}/unarchive`);
      const group = await addGroup(server);
      const transferred = await toldOf(`PUT /projects/${id}/transfer`, { namespace: group.id });
      assert.deepEqual(transferred.told, [['transferred', home, group.full_path, namespace.id, group.id]]);
      const marked = await toldOf(`DELETE /projects/${id}`);
      const full_path = `${group.full_path}/moved-deletion_scheduled-${id}`;
      assert.deepEqual(marked.told[0], ['renamed', `${group.full_path}/moved`, full_path]);
      const removed = await toldOf(`DELETE /projects/${id}`, { permanently_remove: true, full_path });
      // The row still exists until all handlers have run.
      assert.deepEqual(removed.told, [['removed', id, id]]);
    });

    it('roll back the change when a handler throws', async () => {
      const { id } = (await toldOf('POST /projects', { name: 'kept' })).body;
      refused = true;
      const answer = await server.api(`PUT /projects/${id}`, { json: { path: 'other' }, token: ann.token });
      refused = false;
      assert.equal(answer.status, 500);
      assert.equal((await server.must(`GET /projects/${id}`, ann)).path, 'kept');
    });

    it('announce a fork as created', async () => {
      const source = await server.must('POST /projects', { json: { name: 'origin', visibility: 'public' } });
      const { told: heard } = await toldOf(`POST /projects/${source.id}/fork`, { path: 'copy' });
      assert.deepEqual(heard, [['created', 'copy', ann.user.username, ann.user.username]]);
    });
  });
});
