import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

type Person = Awaited<ReturnType<typeof addUser>>;

forEachEngine((engine) => {
  describe('quick actions in epics', () => {
    let server: TestServer;
    let group: { id: number };
    let reporter: Person;
    let guest: Person;

    before(async () => {
      server = await startTestServer(engine);
      group = await server.must('POST /groups', { json: { name: 'Top', path: 'top', visibility: 'public' } });
      reporter = await addUser(server, 'reporter');
      guest = await addUser(server, 'guest');
      for (const [{ id: user_id }, access_level] of [
        [reporter, 20],
        [guest, 10],
      ] as const) {
        await server.must(`POST /groups/${group.id}/members`, { json: { user_id, access_level } });
      }
      for (const name of ['red', 'blue', 'green']) {
        await server.must(`POST /groups/${group.id}/labels`, { json: { name, color: '#f00' } });
      }
    });

    const make = (json: object = {}) =>
      server.must(`POST /groups/${group.id}/epics`, { token: reporter.token, json: { title: 'Epic', ...json } });
    const change = (iid: number, json: object) =>
      server.must(`PUT /groups/${group.id}/epics/${iid}`, { token: reporter.token, json });
    const get = (iid: number) => server.must(`GET /groups/${group.id}/epics/${iid}`);

    it('are executed when an epic is created, and removed from the description', async () => {
      const parent = await make({ confidential: true });
      const made = await make({
        description: `What it is.\n\n/label ~red\n/confidential\n/set_parent &${parent.iid}\n/close\n/title no`,
        labels: 'blue',
      });
      assert.deepEqual(
        [made.description, made.labels, made.confidential, made.parent_id, made.state, made.title],
        ['What it is.', ['blue', 'red'], true, parent.id, 'opened', 'Epic'],
      );
      const code = '```\n/label ~red\n```';
      const quoted = await make({ description: code });
      assert.deepEqual([quoted.description, quoted.labels], [code, []]);
    });

    it('are executed when the description is updated', async () => {
      const parent = await make();
      const child = await make();
      const { id, iid } = await make({ labels: 'red' });
      const after = await change(iid, {
        description: `New\n/close\n/title renamed\n/unlabel ~red\n/label ~green\n/parent_epic &${parent.iid}\n/child_epic &${child.iid}\n/todo\n/unsubscribe`,
        add_labels: 'blue',
      });
      assert.deepEqual(
        [after.description, after.state, after.title, after.labels, after.parent_id, after.subscribed],
        ['New', 'closed', 'renamed', ['blue', 'green'], parent.id, false],
      );
      assert.equal((await get(child.iid)).parent_id, id);
      const todos = await server.must('GET /todos', { token: reporter.token });
      assert.deepEqual(
        todos.map(({ target }: { target: { id: number } }) => target.id),
        [id],
      );
      const freed = await change(iid, { description: `New\n/remove_parent_epic\n/remove_child_epic top&${child.iid}` });
      assert.equal(freed.parent_id, null);
      assert.equal((await get(child.iid)).parent_id, null);
    });

    it('change nothing if rejected, and unknown names are ignored', async () => {
      const { id, iid } = await make();
      const path = `/groups/${group.id}/epics`;
      const put = await server.api(`PUT ${path}/${iid}`, { token: guest.token, json: { description: '/close' } });
      assert.equal(put.status, 403);
      const circle = await server.api(`PUT ${path}/${iid}`, {
        token: reporter.token,
        json: { description: `Mine\n/set_parent &${iid}` },
      });
      assert.equal(circle.status, 400);
      assert.deepEqual([(await get(iid)).description, (await get(iid)).parent_id], [null, null]);
      const unknown = await change(iid, { description: 'Mine\n/set_parent &4711\n/label ~none' });
      assert.deepEqual([unknown.description, unknown.parent_id, unknown.labels], ['Mine', null, []]);
      const response = await server.api(`POST ${path}/${id}/notes`, {
        token: reporter.token,
        json: { body: `/set_parent &${iid}` },
      });
      assert.equal(response.status, 400);
    });
  });
});
