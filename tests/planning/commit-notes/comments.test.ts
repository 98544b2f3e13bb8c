import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { addFilledProject } from '../../support/git-project.ts';
import { addMember, addPerson, type Person } from '../../support/scene.ts';
import { type Answer, startTestServer, type TestServer } from '../../support/server.ts';

let source: GitClient;
before(async () => {
  source = new GitClient();
  await source.init();
  await source.commit({ a: 'one\ntwo\nthree\n' }, 'root');
  await source.commit({ a: 'one\nTWO\nthree\n' }, 'change');
  await source.git('branch', 'feature');
});

forEachEngine((engine) => {
  describe('commit comments', () => {
    let server: TestServer;
    let owner: Person;
    let guest: Person;
    let outsider: Person;
    let project: Project;
    let sha: string;

    const says = (answer: Answer) => [answer.status, answer.body.message ?? answer.body.error];
    const comments = (name = sha) => `/projects/${project.id}/repository/commits/${name}/comments`;
    const comment = (json: object, token: string | null = owner.token) =>
      server.api(`POST ${comments()}`, { json, token });

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      guest = await addPerson(server, 'guest');
      outsider = await addPerson(server, 'outsider');
      project = await addFilledProject(server, owner, 'discussed', source, 'public');
      await addMember(server, project, guest, Role.guest);
      sha = await source.git('rev-parse', 'main');
    });

    it('are listed oldest first, with the changed lines they are on', async () => {
      const plain = await comment({ note: 'Nice <b>' }, outsider.token);
      assert.equal(plain.status, 201);
      assert.deepEqual(
        { ...plain.body, author: plain.body.author.id, created_at: '' },
        { note: 'Nice <b>', path: null, line: null, line_type: null, author: outsider.user.id, created_at: '' },
      );
      const onLine = await comment({ note: 'here', path: 'a', line: 2, line_type: 'new' });
      assert.deepEqual([onLine.body.path, onLine.body.line, onLine.body.line_type], ['a', 2, 'new']);
      const removed = await comment({ note: 'was', path: 'a', line: 2, line_type: 'old' });
      assert.equal(removed.body.line_type, 'old');
      const context = await comment({ note: 'not changed', path: 'a', line: 3 });
      assert.deepEqual([context.status, context.body.path, context.body.line], [201, null, null]);
      const list = await server.api(`GET ${comments('main')}`, { token: null });
      assert.deepEqual(
        list.body.map((one: { note: string }) => one.note),
        ['Nice <b>', 'here', 'was', 'not changed'],
      );
      assert.equal(list.headers.get('x-total'), '4');
      assert.equal((await server.must(`GET ${comments('main~1')}`)).length, 0);
    });

    it('appear in the activity feed of users who can read the code', async () => {
      const events = await server.must(`GET /projects/${project.id}/events?action=commented`);
      assert.deepEqual(
        events.map((event: { note: { body: string } }) => event.note.body),
        ['not changed', 'was', 'here', 'Nice <b>'],
      );
      const [plain, onLine] = events;
      assert.deepEqual(
        [plain.target_type, plain.target_iid, plain.note.id, plain.note.type, onLine.note.type],
        ['Note', plain.target_id, plain.target_id, null, 'LegacyDiffNote'],
      );
      const { noteable_type, noteable_id, author, created_at } = plain.note;
      assert.deepEqual([noteable_type, noteable_id], ['Commit', null]);
      assert.deepEqual([author, created_at], [plain.author, plain.created_at]);
    });

    it('are rejected if blank, invalid or anonymous', async () => {
      assert.deepEqual(says(await comment({})), [400, 'note is missing']);
      assert.deepEqual(says(await comment({ note: ' ' })), [
        400,
        '400 Bad request - Note {:note=>["can\'t be blank"]}',
      ]);
      assert.deepEqual(says(await comment({ note: 'x', path: 'a' })), [400, 'line is missing']);
      assert.deepEqual(says(await comment({ note: 'x', path: 'a', line: 1, line_type: 'both' })), [
        400,
        'line_type does not have a valid value',
      ]);
      assert.deepEqual(says(await comment({ note: 'x' }, null)), [401, '401 Unauthorized']);
      const unknown = await server.api(`POST ${comments('nope')}`, { json: { note: 'x' } });
      assert.deepEqual(says(unknown), [404, '404 Commit Not Found']);
    });

    it('can create a tag by quick action', async () => {
      const tagged = await comment({ note: '/tag v9 The ninth' });
      assert.deepEqual(
        [tagged.status, tagged.body],
        [
          202,
          {
            commands_changes: { tag_name: 'v9', tag_message: 'The ninth' },
            summary: ['Tagged this commit to v9 with "The ninth".'],
          },
        ],
      );
      const tag = await server.must(`GET /projects/${project.id}/repository/tags/v9`);
      assert.deepEqual([tag.commit.id, tag.message], [sha, 'The ninth']);
      const again = await comment({ note: '/tag v9' });
      assert.deepEqual(says(again), [400, '400 Bad request - Note {:validation=>["Tag v9 already exists"]}']);
      const guests = await comment({ note: '/tag v10' }, guest.token);
      assert.deepEqual([guests.status, guests.body.summary], [202, ['Could not apply tag command.']]);
    });

    it('are kept as those of the ghost user when their author is deleted', async () => {
      await server.must(`DELETE /users/${outsider.user.id}`);
      const [first] = await server.must(`GET ${comments()}`);
      assert.equal(first.author.name, 'Ghost User');
    });
  });
});
