import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addMember, addPerson, addProject, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('issue notes', () => {
    let server: TestServer;
    let owner: Person;
    let reporter: Person;
    let guest: Person;
    let outsider: Person;
    let project: Project;
    let iid: number;

    const path = (number = iid) => `/projects/${project.id}/issues/${number}/notes`;
    const say = (person: Person | null, json: Record<string, unknown>, number = iid) =>
      server.api(`POST ${path(number)}`, { token: person?.token ?? null, json });
    const bodies = async (person: Person, query = '') =>
      (await server.must(`GET ${path()}?${query}`, { token: person.token })).map((note: { body: string }) => note.body);

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      reporter = await addPerson(server, 'reporter');
      guest = await addPerson(server, 'guest');
      outsider = await addPerson(server, 'outsider');
      project = await addProject(server, owner, 'talk', 'public');
      await addMember(server, project, reporter, Role.reporter);
      await addMember(server, project, guest, Role.guest);
      const issue = await server.must(`POST /projects/${project.id}/issues?title=Talk`, { token: owner.token });
      iid = issue.iid;
    });

    it('subscribe their authors, unless they have unsubscribed', async () => {
      const talk = await server.must(`POST /projects/${project.id}/issues?title=Loud`, { token: owner.token });
      const at = `/projects/${project.id}/issues/${talk.iid}`;
      const isSubscribed = async () => (await server.must(`GET ${at}`, { token: guest.token })).subscribed;
      assert.equal((await server.api(`POST ${at}/unsubscribe`, { token: guest.token })).status, 304);
      await say(guest, { body: 'Me too' }, talk.iid);
      assert.equal(await isSubscribed(), true);
      assert.equal((await server.api(`POST ${at}/subscribe`, { token: guest.token })).status, 304);
      assert.equal((await server.api(`POST ${at}/unsubscribe`, { token: guest.token })).status, 200);
      await say(guest, { body: 'Once more' }, talk.iid);
      assert.equal(await isSubscribed(), false);
    });

    it('can be created, read, updated and deleted', async () => {
      const { status, body: note } = await say(guest, { body: 'First' });
      assert.equal(status, 201);
      assert.deepEqual(
        [note.type, note.body, note.system, note.noteable_type, note.noteable_iid, note.internal, note.author.id],
        [null, 'First', false, 'Issue', iid, false, guest.user.id],
      );
      const one = `${path()}/${note.id}`;
      assert.deepEqual(await server.must(`GET ${one}`, { token: outsider.token }), note);
      const changed = await server.api(`PUT ${one}`, { token: guest.token, json: { body: 'Second' } });
      assert.deepEqual([changed.status, changed.body.body], [200, 'Second']);
      assert.equal((await server.api(`PUT ${one}`, { token: reporter.token, json: { body: 'No' } })).status, 403);
      const issue = await server.must(`GET /projects/${project.id}/issues/${iid}`);
      assert.equal(issue.user_notes_count, 1);
      assert.equal((await server.api(`DELETE ${one}`, { token: owner.token })).status, 204);
      const deleted = await server.api(`GET ${one}`);
      assert.deepEqual([deleted.status, deleted.body], [404, { message: '404 Not found' }]);
    });

    it('include system notes about changes', async () => {
      await server.must(`PUT /projects/${project.id}/issues/${iid}?title=Talk+more&due_date=2026-01-31`);
      await say(reporter, { body: 'A comment' });
      assert.deepEqual(await bodies(guest), [
        'A comment',
        'changed due date to January 31, 2026',
        '<p>changed title from <code class="idiff">Talk</code> to ' +
          '<code class="idiff">Talk<span class="idiff left right addition"> more</span></code></p>',
      ]);
      assert.deepEqual(await bodies(guest, 'activity_filter=only_comments'), ['A comment']);
      assert.equal((await bodies(guest, 'activity_filter=only_activity&sort=asc')).length, 2);
    });

    it('are visible only to planners if internal', async () => {
      const { body: note } = await say(reporter, { body: 'Between us', internal: true });
      assert.equal(note.internal, true);
      assert.ok((await bodies(owner)).includes('Between us'));
      assert.ok(!(await bodies(guest)).includes('Between us'));
      const hidden = await server.api(`GET ${path()}/${note.id}`, { token: guest.token });
      assert.deepEqual([hidden.status, hidden.body], [404, { message: '404 Note Not Found' }]);
      assert.equal((await say(guest, { body: 'Not between us', internal: true })).body.internal, false);
    });

    for (const [what, json, message] of [
      ['a blank body', { body: ' ' }, '400 Bad request - Note {:note=>["can\'t be blank"]}'],
      [
        'a body that is too long',
        { body: 'x'.repeat(1_000_001) },
        '400 Bad request - Note {:note=>["is too long (maximum is 1000000 characters)"]}',
      ],
    ] as const) {
      it(`are rejected with ${what}`, async () => {
        const { status, body } = await say(reporter, json);
        assert.deepEqual([status, body], [400, { message }]);
      });
    }

    it('require a user and a readable issue', async () => {
      assert.equal((await say(null, { body: 'x' })).status, 401);
      const missing = await say(reporter, { body: 'x' }, 99);
      assert.deepEqual([missing.status, missing.body], [404, { message: '404 Issue Not Found' }]);
      const secret = await server.must(`POST /projects/${project.id}/issues?title=Secret&confidential=true`);
      assert.equal((await say(guest, { body: 'x' }, secret.iid)).status, 404);
    });

    it('are accepted only from members on a locked issue', async () => {
      await server.must(`PUT /projects/${project.id}/issues/${iid}?discussion_locked=true`);
      assert.equal((await say(outsider, { body: 'x' })).status, 403);
      assert.equal((await say(guest, { body: 'x' })).status, 201);
    });

    it('accept a creation time from owners', async () => {
      const at = '2020-01-01T00:00:00.000Z';
      assert.equal((await say(owner, { body: 'Long ago', created_at: at })).body.created_at, at);
      assert.notEqual((await say(guest, { body: 'Now', created_at: at })).body.created_at, at);
    });
  });
});
