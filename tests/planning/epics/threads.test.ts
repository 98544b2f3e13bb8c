import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('threads and emoji reactions on epics and snippets', () => {
    let server: TestServer;
    let outsider: Awaited<ReturnType<typeof addUser>>;
    let epic: { id: number; iid: number };
    let group: { id: number };
    let snippet: { id: number };
    let project: { id: number };

    before(async () => {
      server = await startTestServer(engine);
      outsider = await addUser(server, 'outsider');
      group = await server.must('POST /groups', { json: { name: 'Top', path: 'top', visibility: 'public' } });
      project = await server.must('POST /projects', {
        json: { name: 'It', path: 'it', namespace_id: group.id, visibility: 'public' },
      });
      // Makes global IDs and IIDs differ.
      const other = await server.must('POST /groups', { json: { name: 'Other', path: 'other' } });
      await server.must(`POST /groups/${other.id}/epics`, { json: { title: 'first' } });
      epic = await server.must(`POST /groups/${group.id}/epics`, { json: { title: 'second' } });
      snippet = await server.must(`POST /projects/${project.id}/snippets`, {
        json: { title: 'x', content: 'x', file_name: 'x', visibility: 'private' },
      });
    });

    it('use the global ID of an epic for threads and its IID otherwise', async () => {
      const path = `/groups/${group.id}/epics/${epic.id}/discussions`;
      const isSubscribed = async () =>
        (await server.must(`GET /groups/${group.id}/epics/${epic.iid}`, { token: outsider.token })).subscribed;
      assert.equal(await isSubscribed(), false);
      const thread = await server.must(`POST ${path}`, { token: outsider.token, json: { body: 'why?' } });
      assert.equal(await isSubscribed(), true);
      await server.must(`POST ${path}/${thread.id}/notes`, { json: { body: 'because' } });
      const [found] = await server.must(`GET ${path}`);
      assert.deepEqual(
        found.notes.map((note: { body: string }) => note.body),
        ['why?', 'because'],
      );
      const resolved = await server.must(`PUT ${path}/${thread.id}`, { json: { resolved: true } });
      assert.equal(resolved.notes[0].resolved, true);
      const awards = `/groups/${group.id}/epics/${epic.iid}/award_emoji`;
      await server.must(`POST ${awards}`, { token: outsider.token, json: { name: 'thumbsup' } });
      const [award] = await server.must(`GET ${awards}`);
      assert.deepEqual([award.name, award.awardable_id, award.awardable_type], ['thumbsup', epic.id, 'Epic']);
      assert.equal((await server.must(`GET /groups/${group.id}/epics/${epic.iid}`)).upvotes, 1);
      const mine = `GET /groups/${group.id}/epics?my_reaction_emoji=thumbsup`;
      assert.equal((await server.must(mine, { token: outsider.token })).length, 1);
      assert.equal((await server.must(mine)).length, 0);
      assert.equal((await server.api(`DELETE ${awards}/${award.id}`, { token: outsider.token })).status, 204);
      assert.equal((await server.must(`GET /groups/${group.id}/epics/${epic.iid}`)).upvotes, 0);
    });

    it('execute quick actions in notes on epics for users with permission', async () => {
      const wanted = { title: 'commanded' };
      const commanded = await server.must(`POST /groups/${group.id}/epics`, { json: wanted });
      await server.must(`POST /groups/${group.id}/labels`, { json: { name: 'red', color: '#f00' } });
      const notes = `POST /groups/${group.id}/epics/${commanded.id}/notes`;
      const refused = await server.api(notes, { token: outsider.token, json: { body: '/close\n/label ~red' } });
      assert.deepEqual(
        [refused.status, refused.body.summary],
        [202, ['Could not apply close command. Could not apply label command.']],
      );
      const body = 'Done here\n\n/close\n/label ~red\n/title renamed\n/react :heart:\n/assign me';
      const response = await server.api(notes, { json: { body } });
      assert.deepEqual([response.status, response.body.body], [201, 'Done here']);
      const after = await server.must(`GET /groups/${group.id}/epics/${commanded.iid}`);
      assert.deepEqual([after.state, after.labels, after.title], ['closed', ['red'], 'renamed']);
      const awards = await server.must(`GET /groups/${group.id}/epics/${commanded.iid}/award_emoji`);
      assert.deepEqual(
        awards.map(({ name }: { name: string }) => name),
        ['heart'],
      );
      const again = await server.must(notes, { json: { body: '/reopen\n/unlabel\n/todo\n/unsubscribe' } });
      assert.deepEqual(again.commands_changes.state_event, 'reopen');
      const reopened = await server.must(`GET /groups/${group.id}/epics/${commanded.iid}`);
      assert.deepEqual([reopened.state, reopened.labels, reopened.subscribed], ['opened', [], false]);
    });

    it('resolve references to epics and snippets for users with access', async () => {
      const text = `see &${epic.iid}, other&1 and $${snippet.id}`;
      const links = async (token?: string) => {
        const json = { text, gfm: true, project: 'top/it' };
        const { html } = await server.must('POST /markdown', { json, ...(token === undefined ? {} : { token }) });
        return [...html.matchAll(/href="([^"]+)"/g)].map(([, href]) => href);
      };
      const [own, others, hidden] = [
        `/groups/top/-/epics/${epic.iid}`,
        '/groups/other/-/epics/1',
        `/top/it/-/snippets/${snippet.id}`,
      ];
      assert.deepEqual(await links(), [own, others, hidden]);
      assert.deepEqual(await links(outsider.token), [own]);
    });

    it('include resource events of epics', async () => {
      const made = await server.must(`POST /groups/${group.id}/epics`, { json: { title: 'recorded', labels: 'big' } });
      await server.must(`PUT /groups/${group.id}/epics/${made.iid}`, { json: { state_event: 'close' } });
      const path = `/groups/${group.id}/epics/${made.id}`;
      const [labelled] = await server.must(`GET ${path}/resource_label_events`);
      assert.deepEqual(
        [labelled.action, labelled.label.name, labelled.resource_type, labelled.resource_id],
        ['add', 'big', 'Epic', made.id],
      );
      const [closed] = await server.must(`GET ${path}/resource_state_events`);
      assert.equal(closed.state, 'closed');
      assert.equal((await server.must(`GET ${path}/resource_state_events/${closed.id}`)).id, closed.id);
      assert.equal((await server.api(`GET ${path}/resource_state_events`, { token: null })).status, 401);
    });

    it('let users create to-do items for epics they can read', async () => {
      const path = `POST /groups/${group.id}/epics/${epic.iid}/todo`;
      const made = await server.api(path, { token: outsider.token });
      assert.deepEqual([made.status, made.body.target_type, made.body.target.id], [201, 'Epic', epic.id]);
      assert.equal('project' in made.body, false);
      assert.deepEqual(made.body.group, {
        id: group.id,
        name: 'Top',
        path: 'top',
        kind: 'group',
        full_path: 'top',
        parent_id: null,
        avatar_url: null,
        web_url: `${server.url}/groups/top`,
      });
      assert.equal((await server.api(path, { token: outsider.token })).status, 304);
      const todos = async () => (await server.must('GET /todos', { token: outsider.token })).length;
      assert.equal(await todos(), 1);
      const hide = { json: { confidential: true } };
      await server.must(`PUT /groups/${group.id}/epics/${epic.iid}`, hide);
      assert.equal(await todos(), 0);
      assert.equal((await server.api(path, { token: outsider.token })).status, 404);
      await server.must(`PUT /groups/${group.id}/epics/${epic.iid}`, { json: { confidential: false } });
    });

    it('are available on snippets to users with access', async () => {
      const place = `/projects/${project.id}/snippets/${snippet.id}`;
      const thread = await server.must(`POST ${place}/discussions`, { json: { body: 'why?' } });
      assert.equal((await server.must(`GET ${place}/discussions`)).length, 1);
      const note = `${place}/notes/${thread.notes[0].id}/award_emoji`;
      await server.must(`POST ${note}`, { json: { name: 'tada' } });
      await server.must(`POST ${place}/award_emoji`, { json: { name: 'tada' } });
      assert.deepEqual(
        [(await server.must(`GET ${note}`)).length, (await server.must(`GET ${place}/award_emoji`)).length],
        [1, 1],
      );
      for (const path of ['discussions', 'award_emoji']) {
        assert.equal((await server.api(`GET ${place}/${path}`, { token: outsider.token })).status, 404);
      }
      const refused = await server.api(`POST ${place}/award_emoji`, { token: outsider.token, json: { name: 'tada' } });
      assert.equal(refused.status, 404);
    });
  });
});
