import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import { atOnce, inRounds, statuses } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addMember, addPerson, addProject, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('to-do items', () => {
    let server: TestServer;
    let owner: Person;
    let reporter: Person;
    let project: Project;
    const list = (person: Person, query = '') => server.must(`GET /todos?${query}`, { token: person.token });
    const open = (json: Record<string, unknown>) =>
      server.must(`POST /projects/${project.id}/issues`, { token: owner.token, json });

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      reporter = await addPerson(server, 'reporter');
      project = await addProject(server, owner, 'busy');
      await addMember(server, project, reporter, Role.reporter);
    });

    it('are created by an assignment and completed by acting on the issue', async () => {
      const issue = await open({ title: 'To do', assignee_id: reporter.user.id });
      const [todo] = await list(reporter);
      assert.deepEqual(
        [todo.action_name, todo.target_type, todo.target.iid, todo.body, todo.state, todo.author.id, todo.project.id],
        ['assigned', 'Issue', issue.iid, 'To do', 'pending', owner.user.id, project.id],
      );
      assert.equal(todo.target_url, issue.web_url);
      await server.must(`POST /projects/${project.id}/issues/${issue.iid}/notes?body=On+it`, { token: reporter.token });
      assert.deepEqual(await list(reporter), []);
      assert.deepEqual(
        (await list(reporter, 'state=done')).map(({ id }: { id: number }) => id),
        [todo.id],
      );
    });

    it('can be created by the user, once per item', async () => {
      const { iid } = await open({ title: 'Later' });
      const mark = () => server.api(`POST /projects/${project.id}/issues/${iid}/todo`, { token: reporter.token });
      const marked = await mark();
      assert.deepEqual([marked.status, marked.body.action_name, marked.body.target.iid], [200, 'marked', iid]);
      assert.equal((await mark()).status, 304);
      const done = await server.api(`POST /todos/${marked.body.id}/mark_as_done`, { token: reporter.token });
      assert.deepEqual([done.status, done.body.state], [201, 'done']);
      const foreign = await server.api(`POST /todos/${marked.body.id}/mark_as_done`, { token: owner.token });
      assert.deepEqual([foreign.status, foreign.body], [404, { message: '404 Not found' }]);
    });

    it('are created once by concurrent requests of the user', async () => {
      await inRounds(async (round) => {
        const { iid } = await open({ title: `Hurry ${round}` });
        const answers = await atOnce(6, () =>
          server.api(`POST /projects/${project.id}/issues/${iid}/todo`, { token: reporter.token }),
        );
        assert.deepEqual(statuses(answers), { 200: 1, 304: 5 });
      });
      const marked = await list(reporter, 'action=marked&state=pending');
      assert.equal(new Set(marked.map((todo: { target: { iid: number } }) => todo.target.iid)).size, marked.length);
      await server.must('POST /todos/mark_as_done', { token: reporter.token });
    });

    it('are left out if the user can no longer see the target', async () => {
      const guest = await addPerson(server, 'guest');
      await addMember(server, project, guest, Role.guest);
      await open({ title: 'Soon secret', assignee_id: guest.user.id });
      assert.equal((await list(guest)).length, 1);
      await server.must(`DELETE /projects/${project.id}/members/${guest.user.id}`, { token: owner.token });
      assert.deepEqual(await list(guest), []);
    });

    it('are not listed or counted where their owner can no longer see', async () => {
      const reader = await addPerson(server, 'reader');
      const as = { token: owner.token };
      const place = { name: 'Open', path: 'open', visibility: 'public' };
      const group = await server.must('POST /groups', { ...as, json: place });
      const shared = await server.must('POST /projects', { ...as, json: { ...place, namespace_id: group.id } });
      const { iid } = await server.must(`POST /projects/${shared.id}/issues?title=Seen`, as);
      const epic = await server.must(`POST /groups/${group.id}/epics?title=Epic`, as);
      const token = reader.token;
      await server.must(`POST /projects/${shared.id}/issues/${iid}/todo`, { token });
      await server.must(`POST /groups/${group.id}/epics/${epic.iid}/todo`, { token });
      const found = async () => {
        const { body, headers } = await server.api('GET /todos', { token });
        const { todos } = await server.must('GET /user_counts', { token });
        return [body.length, Number(headers.get('x-total')), todos];
      };
      assert.deepEqual(await found(), [2, 2, 2]);
      await server.must(`PUT /projects/${shared.id}?visibility=private`, as);
      assert.deepEqual(await found(), [1, 1, 1]);
      await server.must(`PUT /groups/${group.id}?visibility=private`, as);
      assert.deepEqual(await found(), [0, 0, 0]);
      await server.must(`POST /groups/${group.id}/members?user_id=${reader.user.id}&access_level=20`, as);
      assert.deepEqual(await found(), [2, 2, 2]);
      await server.must(`DELETE /groups/${group.id}/members/${reader.user.id}`, as);
      assert.deepEqual(await found(), [0, 0, 0]);
    });

    it('are not listed or counted once their target is confidential or their note internal', async () => {
      const reader = await addPerson(server, 'reader');
      const as = { token: owner.token };
      const place = { name: 'Told', path: 'told', visibility: 'public' };
      const group = await server.must('POST /groups', { ...as, json: place });
      const shared = await server.must('POST /projects', { ...as, json: { ...place, namespace_id: group.id } });
      const { iid } = await server.must(`POST /projects/${shared.id}/issues?title=Seen`, as);
      const issue = `/projects/${shared.id}/issues/${iid}`;
      const epic = `/groups/${group.id}/epics/${(await server.must(`POST /groups/${group.id}/epics?title=E`, as)).iid}`;
      const token = reader.token;
      for (const target of [issue, epic]) await server.must(`POST ${target}/todo`, { token });
      const found = async () => {
        const { body, headers } = await server.api('GET /todos', { token });
        const { todos } = await server.must('GET /user_counts', { token });
        return [body.length, Number(headers.get('x-total')), todos];
      };
      assert.deepEqual(await found(), [2, 2, 2]);
      await server.must(`PUT ${issue}?confidential=true`, as);
      assert.deepEqual(await found(), [1, 1, 1]);
      await server.must(`PUT ${epic}?confidential=true`, as);
      assert.deepEqual(await found(), [0, 0, 0]);
      await server.must(`PUT ${issue}?assignee_ids[]=${reader.user.id}`, as);
      assert.deepEqual(await found(), [2, 2, 2], 'an assignee sees the issue, and is told of the assignment');
      await server.must(`PUT ${issue}?assignee_ids[]=0`, as);
      assert.deepEqual(await found(), [0, 0, 0]);
      await server.must(`POST /groups/${group.id}/members?user_id=${reader.user.id}&access_level=15`, as);
      const [items] = await found();
      assert.deepEqual(await found(), [items, items, items]);
      assert.ok(items && items >= 3, 'planners see all of them');
      await server.must(`DELETE /groups/${group.id}/members/${reader.user.id}`, as);
      assert.deepEqual(await found(), [0, 0, 0]);
    });

    it('can all be marked as done at once', async () => {
      await open({ title: 'A', assignee_id: reporter.user.id });
      await open({ title: 'B', assignee_id: reporter.user.id });
      assert.equal((await list(reporter)).length, 2);
      assert.equal((await server.api('POST /todos/mark_as_done', { token: reporter.token })).status, 204);
      assert.deepEqual(await list(reporter), []);
      assert.equal((await server.api('GET /todos', { token: null })).status, 401);
    });

    it('can be filtered by every documented action and type, and no others', async () => {
      await open({ title: 'C', assignee_id: reporter.user.id });
      assert.equal((await list(reporter, 'action=assigned&type=Issue')).length, 1);
      for (const query of [
        'type=Namespace',
        'type=WikiPage::Meta',
        'action=ssh_key_expired',
        'action=added_approver',
      ]) {
        assert.deepEqual(await list(reporter, query), []);
      }
      for (const query of ['type=issue', 'action=none']) {
        assert.equal((await server.api(`GET /todos?${query}`, { token: reporter.token })).status, 400);
      }
    });

    it('can be filtered by group, including descendants', async () => {
      const group = await server.must('POST /groups', { token: owner.token, json: { name: 'Top', path: 'top' } });
      const below = await server.must('POST /groups', {
        token: owner.token,
        json: { name: 'Below', path: 'below', parent_id: group.id },
      });
      const inside = await server.must('POST /projects', {
        token: owner.token,
        json: { name: 'inside', namespace_id: below.id },
      });
      await server.must(`POST /projects/${inside.id}/issues?title=Inside&assignee_id=${owner.user.id}`, {
        token: owner.token,
      });
      const epic = await server.must(`POST /groups/${below.id}/epics?title=Epic`, { token: owner.token });
      await server.must(`POST /groups/${below.id}/epics/${epic.iid}/todo`, { token: owner.token });
      await open({ title: 'Elsewhere', assignee_id: owner.user.id });
      const titles = async (id: number) =>
        (await list(owner, `group_id=${id}`)).map((todo: { target: { title: string } }) => todo.target.title);
      assert.deepEqual(await titles(group.id), ['Epic', 'Inside']);
      assert.deepEqual(await titles(below.id), ['Epic', 'Inside']);
      assert.deepEqual(await titles(project.namespace_id), ['Elsewhere']);
    });

    it('are listed with a constant number of queries', async () => {
      const count = (size: number) => server.queriesOf(() => list(reporter, `state=done&per_page=${size}`));
      await count(3);
      assert.equal(await count(3), await count(1));
    });
  });
});
