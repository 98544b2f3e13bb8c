import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import { forEachEngine } from '../../support/engines.ts';
import { addMember, addPerson, addProject, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

forEachEngine((engine) => {
  describe('emoji reactions on issues and notes', () => {
    let server: TestServer;
    let owner: Person;
    let reporter: Person;
    let outsider: Person;
    let project: Project;
    let iid: number;

    const issuePath = (number = iid) => `/projects/${project.id}/issues/${number}`;
    const react = (person: Person | null, name: string, path = issuePath()) =>
      server.api(`POST ${path}/award_emoji`, { token: person?.token ?? null, json: { name } });
    const issue = () => server.must(`GET ${issuePath()}`, { token: owner.token });
    const open = async (query: string) =>
      (await server.must(`POST /projects/${project.id}/issues?${query}`, { token: owner.token })).iid;

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      reporter = await addPerson(server, 'reporter');
      outsider = await addPerson(server, 'outsider');
      project = await addProject(server, owner, 'liked', 'public');
      await addMember(server, project, reporter, Role.reporter);
      iid = await open('title=Likeable');
    });

    it('can be added, read, listed and deleted, and count as votes', async () => {
      const { status, body: award } = await react(outsider, '+1');
      assert.equal(status, 201);
      assert.deepEqual(
        [award.name, award.user.id, award.awardable_type, award.url],
        ['thumbsup', outsider.user.id, 'Issue', null],
      );
      assert.equal((await react(reporter, 'thumbsdown')).status, 201);
      assert.equal((await react(reporter, 'tada')).status, 201);
      const { upvotes, downvotes } = await issue();
      assert.deepEqual([upvotes, downvotes], [1, 1]);
      const listed = await server.api(`GET ${issuePath()}/award_emoji`, { token: null });
      assert.deepEqual(
        [listed.headers.get('x-total'), listed.body.map(({ name }: { name: string }) => name)],
        ['3', ['thumbsup', 'thumbsdown', 'tada']],
      );
      const one = `${issuePath()}/award_emoji/${award.id}`;
      assert.deepEqual(await server.must(`GET ${one}`, { token: reporter.token }), award);
      assert.equal((await server.api(`DELETE ${one}`, { token: reporter.token })).status, 401);
      assert.equal((await server.api(`DELETE ${one}`, { token: null })).status, 401);
      assert.equal((await server.api(`DELETE ${one}`, { token: outsider.token })).status, 204);
      assert.equal((await issue()).upvotes, 0);
      const deleted = await server.api(`GET ${one}`, { token: outsider.token });
      assert.deepEqual([deleted.status, deleted.body], [404, { message: '404 Not found' }]);
    });

    it('can be added only once per user and name', async () => {
      const answers = await Promise.all(Array.from({ length: 4 }, () => react(owner, 'rocket')));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 404, 404, 404]);
      assert.deepEqual((await react(owner, 'rocket')).body, {
        message: '404 Award Emoji Name has already been taken Not Found',
      });
    });

    it('are rejected with the same error for all callers without permission', async () => {
      const refused = { message: '404 Award Emoji Not Found' };
      const secret = await open('title=Secret&confidential=true');
      assert.deepEqual((await react(null, 'tada')).body, refused);
      assert.deepEqual((await react(outsider, 'tada', issuePath(secret))).body, refused);
      assert.deepEqual((await react(outsider, 'tada', issuePath(9999))).body, refused);
      const hidden = await server.api(`GET ${issuePath(secret)}/award_emoji`, { token: outsider.token });
      assert.deepEqual([hidden.status, hidden.body], [404, refused]);
      const locked = await open('title=Locked&discussion_locked=true');
      assert.deepEqual((await react(outsider, 'tada', issuePath(locked))).body, refused);
      assert.equal((await react(reporter, 'tada', issuePath(locked))).status, 201);
      const unknown = await react(reporter, 'no_such_thing');
      assert.deepEqual(
        [unknown.status, unknown.body],
        [404, { message: '404 Award Emoji Name is not a valid emoji name Not Found' }],
      );
      assert.deepEqual((await server.api(`POST ${issuePath()}/award_emoji`)).body, { error: 'name is missing' });
    });

    it('belong to the note they were added to', async () => {
      const note = await server.must(`POST ${issuePath()}/notes?body=Nice`, { token: reporter.token });
      const path = `${issuePath()}/notes/${note.id}`;
      const { status, body } = await react(outsider, 'heart', path);
      assert.deepEqual([status, body.awardable_type, body.awardable_id], [201, 'Note', note.id]);
      assert.equal((await server.must(`GET ${path}/award_emoji`, { token: owner.token })).length, 1);
      assert.equal((await server.api(`GET ${issuePath()}/award_emoji/${body.id}`)).status, 404);
      const other = await open('title=Other');
      assert.equal((await server.api(`GET ${issuePath(other)}/notes/${note.id}/award_emoji`)).status, 404);
      assert.equal((await server.api(`DELETE ${path}/award_emoji/${body.id}`, { token: outsider.token })).status, 204);
    });

    it('are rejected on internal notes without access, and on system notes', async () => {
      const internal = await server.must(`POST ${issuePath()}/notes?body=Psst&internal=true`, { token: owner.token });
      assert.equal((await react(outsider, 'eyes', `${issuePath()}/notes/${internal.id}`)).status, 404);
      assert.equal((await react(reporter, 'eyes', `${issuePath()}/notes/${internal.id}`)).status, 201);
      await server.must(`PUT ${issuePath()}?title=Renamed`, { token: owner.token });
      const [system] = await server.must(`GET ${issuePath()}/notes?activity_filter=only_activity`);
      assert.equal((await react(reporter, 'eyes', `${issuePath()}/notes/${system.id}`)).status, 404);
    });

    it('are created by a note that consists of a single emoji', async () => {
      const before = (await issue()).user_notes_count;
      const { status, body } = await server.api(`POST ${issuePath()}/notes`, {
        token: outsider.token,
        json: { body: ' :thumbsup: ' },
      });
      assert.deepEqual([status, body.name, body.awardable_type], [201, 'thumbsup', 'Issue']);
      const again = await server.api(`POST ${issuePath()}/notes`, { token: outsider.token, json: { body: '👍' } });
      assert.deepEqual([again.status, again.body.id], [201, body.id]);
      const after = await issue();
      assert.deepEqual([after.upvotes, after.user_notes_count], [1, before]);
    });

    it('are transferred to the ghost user when their user is deleted', async () => {
      const fan = await addPerson(server, 'fan');
      const number = await open('title=Admired');
      await react(fan, 'thumbsup', issuePath(number));
      await server.must(`DELETE /users/${fan.user.id}`);
      assert.equal((await server.must(`GET ${issuePath(number)}`)).upvotes, 1);
      const deleted = await addPerson(server, 'gone');
      await react(deleted, 'thumbsup', issuePath(number));
      await server.must(`DELETE /users/${deleted.user.id}?hard_delete=true`);
      assert.equal((await server.must(`GET ${issuePath(number)}`)).upvotes, 1);
    });
  });
});
