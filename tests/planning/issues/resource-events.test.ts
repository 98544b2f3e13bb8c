import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Project } from '../../../src/access/tables.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson, addProject, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('issue resource events', () => {
    let server: TestServer;
    let owner: Person;
    let outsider: Person;
    let project: Project;
    let iid: number;

    const path = (number = iid) => `/projects/${project.id}/issues/${number}`;
    const events = (kind: string, person = outsider) =>
      server.must(`GET ${path()}/resource_${kind}_events`, { token: person.token });

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      outsider = await addPerson(server, 'outsider');
      project = await addProject(server, owner, 'recorded', 'public');
      const as = { token: owner.token };
      const first = await server.must(`POST /projects/${project.id}/milestones?title=First`, as);
      const second = await server.must(`POST /projects/${project.id}/milestones?title=Second`, as);
      const made = await server.must(`POST /projects/${project.id}/issues`, {
        ...as,
        json: { title: 'Watched', labels: 'bug', milestone_id: first.id, weight: 1 },
      });
      iid = made.iid;
      await server.must(`PUT ${path()}?state_event=close&add_labels=ui&remove_labels=bug&weight=5`, as);
      await server.must(`PUT ${path()}?state_event=reopen&milestone_id=${second.id}`, as);
    });

    it('record states', async () => {
      const all = await events('state');
      assert.deepEqual(
        all.map(({ state, resource_type, source_commit, user }: Record<string, { id: number } | string>) => [
          state,
          resource_type,
          source_commit,
          (user as { id: number }).id,
        ]),
        [
          ['closed', 'Issue', null, owner.user.id],
          ['reopened', 'Issue', null, owner.user.id],
        ],
      );
      const [first] = all;
      assert.deepEqual(await server.must(`GET ${path()}/resource_state_events/${first.id}`), first);
    });

    it('record labels individually', async () => {
      const all = await events('label');
      assert.deepEqual(
        all.map(({ action, label }: { action: string; label: { name: string } }) => [action, label.name]),
        [
          ['add', 'bug'],
          ['add', 'ui'],
          ['remove', 'bug'],
        ],
      );
      await server.must(`DELETE /projects/${project.id}/labels/bug`, { token: owner.token });
      assert.equal((await events('label'))[0].label, null);
    });

    it('record milestones and weights', async () => {
      const milestones = await events('milestone');
      assert.deepEqual(
        milestones.map(({ action, milestone }: { action: string; milestone: { title: string } }) => [
          action,
          milestone.title,
        ]),
        [
          ['add', 'First'],
          ['remove', 'First'],
          ['add', 'Second'],
        ],
      );
      const weights = await events('weight');
      assert.deepEqual(
        weights.map(({ weight }: { weight: number }) => weight),
        [1, 5],
      );
    });

    it('are paginated', async () => {
      const page = await server.api(`GET ${path()}/resource_label_events?per_page=1&page=2`, { token: owner.token });
      assert.deepEqual([page.body.length, page.headers.get('x-total')], [1, '3']);
    });

    it('are visible to users who can read the issue, and only through it', async () => {
      assert.equal((await server.api(`GET ${path()}/resource_state_events`, { token: null })).status, 401);
      const secret = await server.must(`POST /projects/${project.id}/issues?title=Secret&confidential=true`, {
        token: owner.token,
      });
      const hidden = await server.api(`GET ${path(secret.iid)}/resource_state_events`, { token: outsider.token });
      assert.deepEqual([hidden.status, hidden.body], [404, { message: '404 Not found' }]);
      const [event] = await events('state');
      const other = await server.api(`GET ${path(secret.iid)}/resource_state_events/${event.id}`, {
        token: owner.token,
      });
      assert.deepEqual([other.status, other.body], [404, { message: '404 Not found' }]);
    });
  });
});
