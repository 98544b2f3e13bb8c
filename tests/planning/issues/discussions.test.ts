import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addMember, addPerson, addProject, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('issue threads', () => {
    let server: TestServer;
    let owner: Person;
    let reporter: Person;
    let guest: Person;
    let outsider: Person;
    let project: Project;
    let iid: number;

    const threads = (number = iid) => `/projects/${project.id}/issues/${number}/discussions`;
    const begin = (person: Person | null, json: Record<string, unknown>) =>
      server.api(`POST ${threads()}`, { token: person?.token ?? null, json });
    const reply = (person: Person, id: string, json: Record<string, unknown>) =>
      server.api(`POST ${threads()}/${id}/notes`, { token: person.token, json });

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      reporter = await addPerson(server, 'reporter');
      guest = await addPerson(server, 'guest');
      outsider = await addPerson(server, 'outsider');
      project = await addProject(server, owner, 'threads', 'public');
      await addMember(server, project, reporter, Role.reporter);
      await addMember(server, project, guest, Role.guest);
      iid = (await server.must(`POST /projects/${project.id}/issues?title=Talk`, { token: owner.token })).iid;
    });

    it('can be created, replied to, read, updated and deleted', async () => {
      const { status, body: thread } = await begin(guest, { body: 'What now?' });
      assert.deepEqual([status, thread.individual_note, thread.notes.length], [201, false, 1]);
      assert.match(thread.id, /^[0-9a-f]{40}$/);
      const [first] = thread.notes;
      assert.deepEqual([first.type, first.resolvable, first.resolved], ['DiscussionNote', true, false]);
      const answer = await reply(reporter, thread.id, { body: 'This.' });
      assert.deepEqual([answer.status, answer.body.type], [201, 'DiscussionNote']);
      const one = `${threads()}/${thread.id}`;
      const read = await server.must(`GET ${one}`, { token: outsider.token });
      assert.deepEqual(
        read.notes.map(({ body }: { body: string }) => body),
        ['What now?', 'This.'],
      );
      assert.deepEqual(await server.must(`GET ${one}/notes`, { token: guest.token }), read.notes);
      assert.deepEqual(await server.must(`GET ${one}/notes/${first.id}`, { token: guest.token }), read.notes[0]);
      const changed = await server.api(`PUT ${one}/notes/${first.id}`, { token: guest.token, json: { body: 'Then?' } });
      assert.deepEqual([changed.status, changed.body.body], [200, 'Then?']);
      const foreign = await server.api(`PUT ${one}/notes/${first.id}`, { token: reporter.token, json: { body: 'x' } });
      assert.equal(foreign.status, 403);
      for (const note of read.notes) {
        assert.equal((await server.api(`DELETE ${one}/notes/${note.id}`, { token: owner.token })).status, 204);
      }
      const deleted = await server.api(`GET ${one}`, { token: guest.token });
      assert.deepEqual([deleted.status, deleted.body], [404, { message: '404 Discussion Not Found' }]);
      const noNotes = await server.api(`GET ${one}/notes`, { token: guest.token });
      assert.deepEqual([noNotes.status, noNotes.body], [404, { message: '404 Notes Not Found' }]);
    });

    it('are listed oldest first in pages, including individual notes and system notes', async () => {
      const issue = await server.must(`POST /projects/${project.id}/issues?title=Long`, { token: owner.token });
      const at = threads(issue.iid);
      await server.must(`POST /projects/${project.id}/issues/${issue.iid}/notes?body=Plain`, { token: guest.token });
      await server.must(`PUT /projects/${project.id}/issues/${issue.iid}?title=Longer`, { token: owner.token });
      const thread = await server.must(`POST ${at}?body=Thread`, { token: guest.token });
      await server.must(`POST ${at}/${thread.id}/notes?body=Reply`, { token: guest.token });
      await server.must(`POST /projects/${project.id}/issues/${issue.iid}/notes?body=Late`, { token: guest.token });
      const page = await server.api(`GET ${at}?per_page=3`, { token: outsider.token });
      assert.deepEqual(
        page.body.map((each: { individual_note: boolean; notes: unknown[] }) => [
          each.individual_note,
          each.notes.length,
        ]),
        [
          [true, 1],
          [true, 1],
          [false, 2],
        ],
      );
      assert.equal(page.headers.get('x-total'), '4');
      const next = await server.must(`GET ${at}?per_page=3&page=2`, { token: outsider.token });
      assert.deepEqual(
        next.map(({ notes: [note] }: { notes: { body: string }[] }) => note?.body),
        ['Late'],
      );
      const refused = await server.api(`POST ${at}/${page.body[1].id}/notes?body=x`, { token: guest.token });
      assert.deepEqual(
        [refused.status, refused.body],
        [400, { message: '400 Bad request - Discussion can not be replied to.' }],
      );
    });

    it('are created from an individual note by a reply', async () => {
      await server.must(`POST /projects/${project.id}/issues/${iid}/notes?body=Alone`, { token: guest.token });
      const all = await server.must(`GET ${threads()}`, { token: guest.token });
      const thread = all.at(-1);
      assert.equal(thread.individual_note, true);
      assert.equal((await reply(reporter, thread.id, { body: 'Not any more' })).status, 201);
      const now = await server.must(`GET ${threads()}/${thread.id}`, { token: guest.token });
      assert.deepEqual(
        [now.individual_note, now.notes.map(({ type }: { type: string }) => type)],
        [false, ['DiscussionNote', 'DiscussionNote']],
      );
    });

    it('can be resolved by planners and by the authors of the issue or thread', async () => {
      const { body: thread } = await begin(guest, { body: 'Open' });
      const one = `${threads()}/${thread.id}`;
      const resolve = (person: Person, resolved: boolean) =>
        server.api(`PUT ${one}`, { token: person.token, json: { resolved } });
      assert.equal((await resolve(outsider, true)).status, 403);
      const { status, body } = await resolve(guest, true);
      assert.deepEqual([status, body.notes[0].resolved, body.notes[0].resolved_by.id], [200, true, guest.user.id]);
      assert.notEqual(body.notes[0].resolved_at, null);
      assert.equal((await resolve(owner, true)).body.notes[0].resolved_by.id, guest.user.id);
      assert.equal((await resolve(reporter, false)).body.notes[0].resolved, false);
      const note = await server.api(`PUT ${one}/notes/${thread.notes[0].id}?resolved=true`, { token: owner.token });
      assert.deepEqual([note.status, note.body.resolved], [200, true]);
      const both = await server.api(`PUT ${one}/notes/${thread.notes[0].id}?resolved=true&body=x`);
      assert.deepEqual([both.status, both.body], [400, { error: 'body, resolved are mutually exclusive' }]);
    });

    it('reject resolving individual notes', async () => {
      const note = await server.must(`POST /projects/${project.id}/issues/${iid}/notes?body=Plain`);
      const plain = (await server.must(`GET ${threads()}?per_page=100`)).at(-1);
      const { status, body } = await server.api(`PUT ${threads()}/${plain.id}/notes/${note.id}?resolved=true`);
      assert.deepEqual([status, body], [400, { message: '400 Bad request - Note is not resolvable' }]);
    });

    it('stay internal and hidden if created as internal', async () => {
      const { body: thread } = await begin(reporter, { body: 'Between us', internal: true });
      assert.equal(thread.notes[0].internal, true);
      assert.equal((await reply(owner, thread.id, { body: 'Sure' })).body.internal, true);
      for (const person of [guest, outsider]) {
        const hidden = await server.api(`GET ${threads()}/${thread.id}`, { token: person.token });
        assert.deepEqual([hidden.status, hidden.body], [404, { message: '404 Discussion Not Found' }]);
        assert.equal((await reply(person, thread.id, { body: 'x' })).status, 404);
        const listed = await server.must(`GET ${threads()}?per_page=100`, { token: person.token });
        assert.ok(!listed.some(({ id }: { id: string }) => id === thread.id));
      }
    });

    it('can only be accessed through their issue', async () => {
      const { body: thread } = await begin(guest, { body: 'Here' });
      const other = await server.must(`POST /projects/${project.id}/issues?title=Other`);
      const path = `${threads(other.iid)}/${thread.id}`;
      assert.equal((await server.api(`GET ${path}`)).status, 404);
      assert.equal((await server.api(`POST ${path}/notes?body=x`)).status, 404);
      assert.equal((await server.api(`DELETE ${path}/notes/${thread.notes[0].id}`)).status, 404);
    });

    it('require a user, a body, and an issue that is not locked', async () => {
      assert.equal((await begin(null, { body: 'x' })).status, 401);
      assert.deepEqual((await begin(guest, {})).body, { error: 'body is missing' });
      assert.equal((await begin(guest, { body: ' ' })).status, 400);
      const { body: thread } = await begin(outsider, { body: 'Mine' });
      await server.must(`PUT /projects/${project.id}/issues/${iid}?discussion_locked=true`);
      assert.equal((await begin(outsider, { body: 'x' })).status, 403);
      assert.equal((await reply(outsider, thread.id, { body: 'x' })).status, 403);
      const resolve = await server.api(`PUT ${threads()}/${thread.id}?resolved=true`, { token: outsider.token });
      assert.equal(resolve.status, 403);
      assert.equal((await reply(guest, thread.id, { body: 'x' })).status, 201);
    });
  });
});
