import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

type Person = Awaited<ReturnType<typeof addUser>>;
type Told = { action_name: string; body: string; target: { id: number }; target_type: string };

forEachEngine((engine) => {
  describe('mentions in epics', () => {
    let server: TestServer;
    let group: { id: number };
    let elsewhere: { id: number };
    let project: { id: number };
    let guest: Person;
    let planner: Person;
    let outsider: Person;

    before(async () => {
      server = await startTestServer(engine);
      group = await server.must('POST /groups', { json: { name: 'Top', path: 'top', visibility: 'private' } });
      elsewhere = await server.must('POST /groups', { json: { name: 'Other', path: 'other', visibility: 'public' } });
      project = await server.must('POST /projects', { json: { name: 'It', path: 'it', namespace_id: group.id } });
      guest = await addUser(server, 'guest');
      planner = await addUser(server, 'planner');
      outsider = await addUser(server, 'outsider');
      for (const [user_id, access_level] of [
        [guest.id, 10],
        [planner.id, 15],
      ]) {
        await server.must(`POST /groups/${group.id}/members`, { json: { user_id, access_level } });
      }
    });

    const make = (json: object = {}, at = group) =>
      server.must(`POST /groups/${at.id}/epics`, { json: { title: 'Epic', ...json } });
    const say = (id: number, json: object) => server.must(`POST /groups/${group.id}/epics/${id}/notes`, { json });
    const todos = async ({ token }: Person, id: number): Promise<Told[]> =>
      (await server.must('GET /todos', { token })).filter(
        ({ target, target_type }: Told) => target_type === 'Epic' && target.id === id,
      );
    const records = async (id: number, at = group): Promise<string[]> =>
      (await server.must(`GET /groups/${at.id}/epics/${id}/notes?activity_filter=only_activity`)).map(
        ({ body }: { body: string }) => body,
      );
    /**
     * Jobs are processed in order: when the effect of a later mention is visible, the earlier ones have been processed.
     */
    const allProcessed = async () => {
      const last = await make({ description: `@${planner.username}` });
      await until(async () => (await todos(planner, last.id)).length === 1);
    };

    it('create to-do items for users who can read the epic', async () => {
      const { id } = await make({
        description: `@${planner.username} look, and @${guest.username}, not @${outsider.username}`,
      });
      const hidden = await make({ description: `For @${planner.username} and @${guest.username}`, confidential: true });
      await until(async () => (await todos(planner, hidden.id)).length === 1);
      await allProcessed();
      const notified = async (person: Person, epic = id) => (await todos(person, epic)).map((todo) => todo.action_name);
      assert.deepEqual(await notified(planner), ['directly_addressed']);
      assert.deepEqual(await notified(guest), ['mentioned']);
      assert.deepEqual(await notified(outsider), []);
      assert.deepEqual(await notified(guest, hidden.id), []);
    });

    it('in notes create to-do items, with @all for all group members', async () => {
      const { id } = await make();
      await say(id, { body: `What do you say, @${guest.username}?` });
      await until(async () => (await todos(guest, id)).length === 1);
      assert.deepEqual(
        (await todos(guest, id)).map(({ body }) => body),
        [`What do you say, @${guest.username}?`],
      );
      await say(id, { body: 'Come, @all' });
      await until(async () => (await todos(planner, id)).length === 1);
      assert.equal((await todos(outsider, id)).length, 0);
    });

    it('in internal notes are visible to users only while they are planners', async () => {
      const { id } = await make();
      await say(id, { body: `Between us, @${planner.username} and @${guest.username}`, internal: true });
      await until(async () => (await todos(planner, id)).length === 1);
      await allProcessed();
      assert.deepEqual(await todos(guest, id), []);
      const member = `/groups/${group.id}/members/${planner.id}`;
      await server.must(`PUT ${member}`, { json: { access_level: 10 } });
      assert.deepEqual(await todos(planner, id), []);
      await server.must(`PUT ${member}`, { json: { access_level: 15 } });
      assert.equal((await todos(planner, id)).length, 1);
    });

    it('of issues and epics add cross-references, with the group path in other groups', async () => {
      const near = await make();
      const far = await make({}, elsewhere);
      const issue = await server.must(`POST /projects/${project.id}/issues`, { json: { title: 'Issue' } });
      const beside = await server.must(`POST /projects/${project.id}/issues`, { json: { title: 'Beside' } });
      // An IID without path refers to a project, and epics have none.
      const { id, iid } = await make({
        description: `&${near.iid}, other&${far.iid}, it#${beside.iid} and top/it#${issue.iid}, not #${issue.iid}`,
      });
      await until(async () => (await records(near.id)).includes(`mentioned in epic &${iid}`));
      await until(async () => (await records(far.id, elsewhere)).includes(`mentioned in epic top&${iid}`));
      for (const one of [issue, beside]) {
        const notes = await server.must(`GET /projects/${project.id}/issues/${one.iid}/notes`);
        const bodies = notes.map(({ body }: { body: string }) => body);
        assert.deepEqual(bodies, [`mentioned in epic top&${iid}`]);
      }
      await make({ description: `not #${issue.iid}` });
      await allProcessed();
      assert.equal((await server.must(`GET /projects/${project.id}/issues/${issue.iid}/notes`)).length, 1);
      assert.deepEqual(await records(id), []);
      const unseen = await server.must(`GET /groups/${elsewhere.id}/epics/${far.id}/notes`, { token: outsider.token });
      assert.deepEqual(unseen, []);
    });
  });
});
