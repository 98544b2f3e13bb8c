import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Role } from '../../src/access/roles.ts';
import type { Project } from '../../src/access/tables.ts';
import { forEachEngine } from '../support/engines.ts';
import { addMember, addPerson, addProject, type Person } from '../support/scene.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

forEachEngine((engine) => {
  describe('mentions', () => {
    let server: TestServer;
    let owner: Person;
    let reporter: Person;
    let guest: Person;
    let outsider: Person;
    let project: Project;
    let hidden: Project;

    const open = (json: Record<string, unknown>, person = owner, into = project) =>
      server.must(`POST /projects/${into.id}/issues`, { token: person.token, json });
    const say = (iid: number, json: Record<string, unknown>, person = owner) =>
      server.must(`POST /projects/${project.id}/issues/${iid}/notes`, { token: person.token, json });
    const records = async (iid: number, person = owner): Promise<string[]> =>
      (
        await server.must(`GET /projects/${project.id}/issues/${iid}/notes?activity_filter=only_activity&sort=asc`, {
          token: person.token,
        })
      ).map(({ body }: { body: string }) => body);
    const todos = async (person: Person, iid: number): Promise<string[]> =>
      (await server.must('GET /todos', { token: person.token }))
        .filter(({ target }: { target: { iid: number } }) => target.iid === iid)
        .map(({ action_name }: { action_name: string }) => action_name);
    const has = (list: () => Promise<string[]>, text: string) => until(async () => (await list()).includes(text));
    /**
     * Jobs are processed in order: when the effect of a later mention is visible, the earlier ones have been processed.
     */
    const allProcessed = async () => {
      const { iid } = await open({ title: 'Marker' });
      const { iid: last } = await open({ title: 'Last', description: `#${iid}` });
      await has(() => records(iid), `mentioned in issue #${last}`);
    };

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      reporter = await addPerson(server, 'reporter');
      guest = await addPerson(server, 'guest');
      outsider = await addPerson(server, 'outsider');
      project = await addProject(server, owner, 'talk', 'public');
      hidden = await addProject(server, owner, 'hidden', 'private');
      await addMember(server, project, reporter, Role.reporter);
      await addMember(server, project, guest, Role.guest);
    });

    it('of an issue add one system note per source', async () => {
      const { iid: mentioned } = await open({ title: 'Mentioned' });
      const { iid } = await open({ title: 'Source', description: `See #${mentioned}` });
      await has(() => records(mentioned), `mentioned in issue #${iid}`);
      await say(iid, { body: `Again #${mentioned}, and \`#${mentioned}\`` });
      await allProcessed();
      assert.deepEqual(await records(mentioned), [`mentioned in issue #${iid}`]);
    });

    it('from another project are noted with the path, for users who can read it', async () => {
      const { iid: mentioned } = await open({ title: 'Mentioned' });
      const path = (await server.must(`GET /projects/${project.id}`, { token: owner.token })).path_with_namespace;
      const secret = await open({ title: 'Secret', description: `Of ${path}#${mentioned}` }, owner, hidden);
      await has(() => records(mentioned), `mentioned in issue hidden#${secret.iid}`);
      assert.deepEqual(await records(mentioned, outsider), []);
      const [note] = await server.must(`GET /projects/${project.id}/issues/${mentioned}/notes`, { token: owner.token });
      const unseen = await server.api(`GET /projects/${project.id}/issues/${mentioned}/notes/${note.id}`, {
        token: outsider.token,
      });
      assert.deepEqual([unseen.status, unseen.body], [404, { message: '404 Note Not Found' }]);
      const threads = await server.must(`GET /projects/${project.id}/issues/${mentioned}/discussions`, {
        token: outsider.token,
      });
      assert.deepEqual(threads, []);
    });

    it('of items that the author cannot read are not noted', async () => {
      const { iid: secret } = await open({ title: 'Secret', confidential: true });
      await open({ title: 'Curious', description: `#${secret}` }, outsider);
      await allProcessed();
      assert.deepEqual(await records(secret), []);
    });

    it('of a group notify its members, unless the group disables mentions', async () => {
      const group = await server.must('POST /groups', {
        token: owner.token,
        json: { name: 'callers', path: `callers-${engine}`, visibility: 'public' },
      });
      await server.must(`POST /groups/${group.id}/members`, {
        token: owner.token,
        json: { user_id: outsider.user.id, access_level: 10 },
      });
      const { iid: heard } = await open({ title: 'For a group', description: `@${group.full_path} look` });
      await has(() => todos(outsider, heard), 'mentioned');
      await server.must(`PUT /groups/${group.id}`, { token: owner.token, json: { mentions_disabled: true } });
      const { iid: quiet } = await open({ title: 'For nobody', description: `@${group.full_path} look` });
      const { iid: named } = await open({
        title: 'For one of them',
        description: `For @${group.full_path} and @${outsider.user.username}`,
      });
      await has(() => todos(outsider, named), 'mentioned');
      await allProcessed();
      assert.deepEqual(await todos(outsider, quiet), []);
    });

    it('of users create to-do items, directly addressed at the start of a line', async () => {
      const { iid } = await open({
        title: 'For many',
        description: `@${reporter.user.username} please\n\nand maybe @${guest.user.username}, not @${owner.user.username}`,
      });
      await has(() => todos(reporter, iid), 'directly_addressed');
      await has(() => todos(guest, iid), 'mentioned');
      assert.deepEqual(await todos(owner, iid), []);
    });

    it('in notes notify once, also when the note is updated', async () => {
      const { iid } = await open({ title: 'Comments' });
      const note = await say(iid, { body: `Hello @${guest.user.username}` });
      await has(() => todos(guest, iid), 'mentioned');
      const changed = { token: owner.token, json: { body: `Hello again @${guest.user.username} and ${'x'}` } };
      await server.must(`PUT /projects/${project.id}/issues/${iid}/notes/${note.id}`, changed);
      await allProcessed();
      assert.deepEqual(await todos(guest, iid), ['mentioned']);
    });

    it('do not notify users without access', async () => {
      const name = guest.user.username;
      const { iid: secret } = await open({ title: 'Secret', confidential: true, description: `@${name}` });
      const { iid } = await open({ title: 'Internal' });
      await say(iid, { body: `@${name} and @${reporter.user.username}`, internal: true });
      await has(() => todos(reporter, iid), 'directly_addressed');
      await allProcessed();
      assert.deepEqual([await todos(guest, secret), await todos(guest, iid)], [[], []]);
    });

    it('in commits on the default branch are noted, and close issues', async () => {
      const commit = (branch: string, message: string, start?: string) =>
        server.must(`POST /projects/${project.id}/repository/commits`, {
          token: owner.token,
          json: {
            branch,
            commit_message: message,
            ...(start ? { start_branch: start } : {}),
            actions: [{ action: 'create', file_path: `f${Math.random()}`, content: 'x' }],
          },
        });
      await commit('main', 'First');
      const { iid } = await open({ title: 'To close' });
      const { iid: other } = await open({ title: 'Aside' });
      await commit('topic', `Closes #${iid}`, 'main');
      const { id } = await commit('main', `Fixes #${iid}\n\nSee #${other}`);
      await has(() => records(other), `mentioned in commit ${id.slice(0, 8)}`);
      const issue = () => server.must(`GET /projects/${project.id}/issues/${iid}`, { token: owner.token });
      await until(async () => (await issue()).state === 'closed');
      const [event] = await server.must(`GET /projects/${project.id}/issues/${iid}/resource_state_events`);
      assert.deepEqual([event.state, event.source_commit], ['closed', id]);
      assert.deepEqual(await records(iid), [`mentioned in commit ${id.slice(0, 8)}`]);
    });
  });
});
