import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import { FileMissing } from '../../../src/platform/storage/storage.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addMember, addPerson, addProject, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('moving and cloning issues', () => {
    let server: TestServer;
    let owner: Person;
    let guest: Person;
    let here: Project;
    let there: Project;

    const open = () =>
      server.must(`POST /projects/${here.id}/issues`, {
        token: owner.token,
        json: { title: 'Wanders', description: 'Text', labels: 'bug,local', weight: 2 },
      });
    const send = (verb: 'move' | 'clone', iid: number, json: Record<string, unknown>, person = owner) =>
      server.api(`POST /projects/${here.id}/issues/${iid}/${verb}`, { token: person.token, json });
    const bodies = async (project: number, iid: number) =>
      (await server.must(`GET /projects/${project}/issues/${iid}/notes?sort=asc`, { token: owner.token })).map(
        ({ body }: { body: string }) => body,
      );

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      guest = await addPerson(server, 'guest');
      here = await addProject(server, owner, 'here', 'public');
      there = await addProject(server, owner, 'there', 'private');
      await addMember(server, here, guest, Role.guest);
      await server.must(`POST /projects/${there.id}/labels`, {
        token: owner.token,
        json: { name: 'bug', color: '#fff' },
      });
    });

    it('moves an issue with its notes, and closes the original with a link', async () => {
      const { iid } = await open();
      await server.must(`POST /projects/${here.id}/issues/${iid}/notes?body=Said`, { token: guest.token });
      const { status, body } = await send('move', iid, { to_project_id: there.id });
      assert.deepEqual(
        [status, body.project_id, body.labels, body.weight, body.user_notes_count, body.state],
        [201, there.id, ['bug'], 2, 1, 'opened'],
      );
      const old = await server.must(`GET /projects/${here.id}/issues/${iid}`, { token: owner.token });
      assert.deepEqual([old.state, old.moved_to_id], ['closed', body.id]);
      assert.deepEqual(await bodies(there.id, body.iid), ['Said', `moved from here#${iid}`]);
      assert.deepEqual(await bodies(here.id, iid), ['Said', `moved to there#${body.iid}`]);
      const again = await send('move', iid, { to_project_id: there.id });
      assert.equal(again.status, 400);
    });

    it('keeps links, subscribers, iteration and epic that are available in the new project', async () => {
      const group = await server.must('POST /groups', { json: { name: 'Around', path: 'around' } });
      const [from, to] = await Promise.all(
        ['from', 'to'].map((name) => server.must('POST /projects', { json: { name, namespace_id: group.id } })),
      );
      const json = { title: 'Weeks', start_date: '2026-01-05', duration_in_weeks: 1, iterations_in_advance: 1 };
      await server.must(`POST /groups/${group.id}/iteration_cadences`, { json });
      const [iteration] = await server.must(`GET /groups/${group.id}/iterations?state=opened`);
      const epic = await server.must(`POST /groups/${group.id}/epics`, { json: { title: 'Large' } });
      await server.must(`POST /groups/${group.id}/members`, { json: { user_id: guest.user.id, access_level: 20 } });
      const at = `/projects/${from.id}/issues`;
      const other = await server.must(`POST ${at}`, { json: { title: 'Other' } });
      const issue = await server.must(`POST ${at}`, {
        json: { title: 'Held', epic_id: epic.id, description: `Text\n/iteration *iteration:${iteration.id}` },
      });
      assert.deepEqual([issue.iteration?.id, issue.epic?.id, issue.description], [iteration.id, epic.id, 'Text']);
      await server.must(`POST ${at}/${issue.iid}/subscribe`, { token: guest.token });
      const link = { target_project_id: from.id, target_issue_iid: other.iid, link_type: 'blocks' };
      await server.must(`POST ${at}/${issue.iid}/links`, { json: link });
      const moved = await server.must(`POST ${at}/${issue.iid}/move`, { json: { to_project_id: to.id } });
      assert.deepEqual([moved.iteration?.id, moved.epic?.id, moved.blocking_issues_count], [iteration.id, epic.id, 1]);
      const links = await server.must(`GET /projects/${to.id}/issues/${moved.iid}/links`);
      assert.deepEqual(
        links.map((one: { id: number; link_type: string }) => [one.id, one.link_type]),
        [[other.id, 'blocks']],
      );
      const seen = await server.must(`GET /projects/${to.id}/issues/${moved.iid}`, { token: guest.token });
      assert.equal(seen.subscribed, true);
      const left = await server.must(`GET ${at}/${issue.iid}`);
      assert.deepEqual([left.state, left.epic, left.blocking_issues_count], ['closed', null, 0]);
      assert.deepEqual(await server.must(`GET ${at}/${issue.iid}/links`), []);
      const deleted = await server.must(`POST /projects/${to.id}/issues/${moved.iid}/move`, {
        json: { to_project_id: (await server.must('POST /projects', { json: { name: 'far' } })).id },
      });
      assert.deepEqual([deleted.iteration, deleted.epic, deleted.blocking_issues_count], [null, null, 1]);
    });

    it('qualifies references and copies the uploaded files of texts', async () => {
      const { iid: other } = await open();
      const form = new FormData();
      form.set('file', new Blob(['picture']), 'p.png');
      const file = await server.must(`POST /projects/${here.id}/uploads`, { token: owner.token, body: form });
      const description = `See #${other}, \`#${other}\`, [it](#${other}), [part](#${other}-a), #9999, ~bug, @${owner.user.username} ${file.markdown}`;
      const { iid } = await server.must(`POST /projects/${here.id}/issues`, {
        token: owner.token,
        json: { title: 'Refers', description },
      });
      await server.must(`POST /projects/${here.id}/issues/${iid}/notes`, {
        token: owner.token,
        json: { body: `As #${other} does` },
      });
      const { body } = await send('move', iid, { to_project_id: there.id });
      const full = `${owner.user.username}/here#${other}`;
      const [link = '', secret = ''] = /\/uploads\/([0-9a-f]{32})\/p\.png/.exec(body.description) ?? [];
      assert.equal(
        body.description.replace(link, file.url),
        description
          .replace(`See #${other}`, `See ${full}`)
          .replace(`[it](#${other})`, `[it](${full})`)
          .replace('~bug', `${owner.user.username}/here~bug`),
      );
      assert.notEqual(link, file.url);
      const copy = await server.api(`GET /projects/${there.id}/uploads/${secret}/p.png`, { token: owner.token });
      assert.deepEqual([copy.status, copy.text], [200, 'picture']);
      // Both uploads share a stored file, which is deleted with the second one.
      const remove = async (project: number, { url }: { url: string }) =>
        (await server.api(`DELETE /projects/${project}${url}`, { token: owner.token })).status;
      const rows = server.db.read.selectFrom('uploads').select('storage_key').where('secret', '=', secret);
      const { storage_key } = await rows.executeTakeFirstOrThrow();
      assert.equal(await remove(here.id, file), 204);
      const left = await server.api(`GET /projects/${there.id}${link}`, { token: owner.token });
      assert.deepEqual([left.status, left.text], [200, 'picture']);
      assert.equal(await remove(there.id, { url: link }), 204);
      await assert.rejects(server.running.services.storage.get(storage_key), FileMissing);
      assert.equal((await bodies(there.id, body.iid))[0], `As ${full} does`);
    });

    it('qualifies references in long texts, through the API and by quick action', async () => {
      const { iid: other } = await open();
      const long = (path: string) => `${`${'word '.repeat(40)}\n\n`.repeat(100)}${path}#${other}`;
      const full = `${owner.user.username}/here`;
      const write = async () => {
        const json = { title: 'Long', description: long('') };
        const { iid } = await server.must(`POST /projects/${here.id}/issues`, { token: owner.token, json });
        const at = `POST /projects/${here.id}/issues/${iid}/notes`;
        await server.must(at, { token: owner.token, json: { body: long('') } });
        return { iid, at };
      };
      const moved = (await send('move', (await write()).iid, { to_project_id: there.id })).body;
      assert.equal(moved.description, long(full));
      assert.equal((await bodies(there.id, moved.iid))[0], long(full));
      for (const [command, copied] of [
        ['/clone', false],
        ['/clone', true],
        ['/move', true],
      ] as const) {
        const { at } = await write();
        const withNotes = command === '/clone' && copied ? ' --with_notes' : '';
        await server.must(at, {
          token: owner.token,
          json: { body: `${command} ${full.replace('here', 'there')}${withNotes}` },
        });
        const [made] = await server.must(`GET /projects/${there.id}/issues?per_page=1`, { token: owner.token });
        assert.equal(made.description, long(full), command);
        if (copied) assert.equal((await bodies(there.id, made.iid))[0], long(full), command);
      }
    });

    it('copies emoji reactions and time spent', async () => {
      const { iid } = await open();
      const at = `/projects/${here.id}/issues/${iid}`;
      await server.must(`POST ${at}/award_emoji?name=thumbsup`, { token: guest.token });
      const note = await server.must(`POST ${at}/notes?body=Said`, { token: guest.token });
      await server.must(`POST ${at}/notes/${note.id}/award_emoji?name=tada`, { token: owner.token });
      await server.must(`POST ${at}/add_spent_time?duration=2h`, { token: owner.token });
      const { body } = await send('move', iid, { to_project_id: there.id });
      const moved = `/projects/${there.id}/issues/${body.iid}`;
      assert.deepEqual([body.upvotes, body.time_stats.human_total_time_spent], [1, '2h']);
      const given = async (path: string) =>
        (await server.must(`GET ${path}/award_emoji`, { token: owner.token })).map(
          ({ name }: { name: string }) => name,
        );
      assert.deepEqual(await given(moved), ['thumbsup']);
      const notes = await server.must(`GET ${moved}/notes?activity_filter=only_comments`, { token: owner.token });
      assert.deepEqual(await given(`${moved}/notes/${notes[0].id}`), ['tada']);
      const reset = await server.must(`POST ${moved}/reset_spent_time`, { token: owner.token });
      assert.equal(reset.total_time_spent, 0);
      const clone = (await send('clone', iid, { to_project_id: here.id, with_notes: true })).body;
      assert.deepEqual([clone.upvotes, clone.time_stats.total_time_spent], [0, 0]);
    });

    it('is available by quick action to users with permission', async () => {
      const { iid } = await open();
      const say = (body: string, person: Person) =>
        server.api(`POST /projects/${here.id}/issues/${iid}/notes`, { token: person.token, json: { body } });
      const path = `${owner.user.username}/there`;
      assert.deepEqual((await say(`/move ${path}`, guest)).body.summary, ['Could not apply move command.']);
      assert.deepEqual((await say('/move no/where', owner)).body.summary, [
        "Could not apply move command. Failed to move this issue because target project doesn't exist.",
      ]);
      const cloned = await say('Twice\n/clone --with_notes', owner);
      assert.deepEqual([cloned.status, cloned.body.commands_changes.target_clone_project_id], [201, here.id]);
      const [copy] = await server.must(`GET /projects/${here.id}/issues?per_page=1`, { token: owner.token });
      assert.deepEqual([copy.title, await bodies(here.id, copy.iid)], ['Wanders', ['Twice', `cloned from #${iid}`]]);
      const moved = await say(`/move ${path}`, owner);
      assert.deepEqual([moved.status, moved.body.summary], [202, [`Moved this issue to ${path}.`]]);
      const old = await server.must(`GET /projects/${here.id}/issues/${iid}`, { token: owner.token });
      assert.equal(old.state, 'closed');
      const [found] = await server.must(`GET /projects/${there.id}/issues?per_page=1`, { token: owner.token });
      assert.equal(old.moved_to_id, found.id);
    });

    it('leaves an issue where it is when moved to its own project', async () => {
      const { id, iid } = await open();
      const { status, body } = await send('move', iid, { to_project_id: here.id });
      assert.deepEqual([status, body.id], [201, id]);
    });

    it('clones issues, optionally with notes', async () => {
      const { iid } = await open();
      await server.must(`POST /projects/${here.id}/issues/${iid}/notes?body=Said`, { token: guest.token });
      const bare = await send('clone', iid, { to_project_id: here.id });
      assert.deepEqual([bare.status, bare.body.labels, bare.body.user_notes_count], [201, ['bug', 'local'], 0]);
      assert.deepEqual(await bodies(here.id, bare.body.iid), [`cloned from #${iid}`]);
      const full = await send('clone', iid, { to_project_id: there.id, with_notes: true });
      assert.equal(full.body.user_notes_count, 1);
      const original = await server.must(`GET /projects/${here.id}/issues/${iid}`, { token: owner.token });
      assert.deepEqual([original.state, original.moved_to_id], ['opened', null]);
    });

    it('rejects missing permissions and targets', async () => {
      const { iid } = await open();
      for (const verb of ['move', 'clone'] as const) {
        const meek = await send(verb, iid, { to_project_id: there.id }, guest);
        assert.deepEqual([meek.status, meek.body], [404, { message: '404 Project Not Found' }]);
        assert.equal((await send(verb, 9999, { to_project_id: there.id })).body.message, '404 Issue Not Found');
        assert.deepEqual((await send(verb, iid, {})).body, { error: 'to_project_id is missing' });
      }
      const copy = await send('clone', iid, { to_project_id: here.id }, guest);
      assert.deepEqual(
        [copy.status, copy.body],
        [400, { message: 'Unable to clone. You have insufficient permissions.' }],
      );
    });
  });
});
