import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { addUser } from '../../support/cast.ts';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { emailsTo } from '../incoming-mail/post.ts';

type Person = Awaited<ReturnType<typeof addUser>>;

forEachEngine((engine) => {
  describe('e-mails about edited texts', () => {
    let server: TestServer;
    let group: string;
    let at: string;
    let called: Person;
    let other: Person;
    let silent: Person;
    let stranger: Person;

    /** Returns the first lines of the e-mails to a user, without the subject's reference. */
    const linesTo = async ({ username }: Person) => {
      await server.running.services.queue.drain();
      return (await emailsTo(server, `${username}@example.com`)).map(({ text }) => text.split('\n')[0] ?? '').sort();
    };
    /** Runs a change and returns who was notified of what. */
    const news = async (change: () => Promise<unknown>) => {
      const everybody = [called, other, silent, stranger];
      const former = await Promise.all(everybody.map(linesTo));
      await change();
      const now = await Promise.all(everybody.map(linesTo));
      return now.map((lines, at) => {
        const rest = [...(former[at] ?? [])];
        return lines.filter((line) => {
          const known = rest.indexOf(line);
          if (known >= 0) rest.splice(known, 1);
          return known < 0;
        });
      });
    };

    before(async () => {
      server = await startTestServer(engine);
      called = await addUser(server, 'called');
      other = await addUser(server, 'other');
      silent = await addUser(server, 'silent');
      stranger = await addUser(server, 'stranger');
      const created = await server.must('POST /groups', { json: { name: 'Gg', path: 'gg', visibility: 'private' } });
      group = `/groups/${created.id}`;
      const project = await server.must('POST /projects', {
        json: { name: 'Pp', namespace_id: created.id, initialize_with_readme: true },
      });
      at = `/projects/${project.id}`;
      for (const { id } of [called, other, silent]) {
        await server.must(`POST ${group}/members`, { json: { user_id: id, access_level: 30 } });
      }
      await server.must('PUT /notification_settings', { token: silent.token, json: { level: 'disabled' } });
    });

    it('go to users newly mentioned in the title or description of an issue', async () => {
      await server.must(`POST ${at}/issues`, { json: { title: 'A', description: `@${other.username} look` } });
      const all = [called, other, silent, stranger].map(({ username }) => `@${username}`).join(' ');
      const change = (json: object) => news(() => server.must(`PUT ${at}/issues/1`, { json }));
      const line = 'Administrator mentioned you in #1.';
      assert.deepEqual(await change({ description: `Look, ${all}` }), [[line], [], [], []]);
      assert.deepEqual(await change({ description: `Look again, ${all}` }), [[], [], [], []]);
      assert.deepEqual(await change({ description: '' }), [[], [], [], []]);
      assert.deepEqual(await change({ title: `For @${called.username}` }), [[line], [], [], []]);
      assert.deepEqual(await change({ title: `For you, @${called.username}`, labels: 'x' }), [[], [], [], []]);
      const todos = await server.must('GET /todos', { token: called.token });
      assert.deepEqual(
        todos.map(({ action_name }: { action_name: string }) => action_name),
        ['mentioned', 'mentioned'],
      );
    });

    it('go to users newly mentioned in merge requests, epics and notes', async () => {
      await server.must(`POST ${at}/repository/branches?branch=b&ref=main`);
      await server.must(`POST ${at}/repository/files/f`, { json: { branch: 'b', content: 'f', commit_message: 'f' } });
      await server.must(`POST ${at}/merge_requests`, {
        json: { title: 'M', source_branch: 'b', target_branch: 'main' },
      });
      await server.must(`POST ${group}/epics`, { json: { title: 'E' } });
      const note = await server.must(`POST ${at}/issues/1/notes`, { json: { body: 'Said' } });
      const json = { description: `@${other.username}, @${stranger.username}` };
      assert.deepEqual(await news(() => server.must(`PUT ${at}/merge_requests/1`, { json })), [
        [],
        ['Administrator mentioned you in !1.'],
        [],
        [],
      ]);
      assert.deepEqual(await news(() => server.must(`PUT ${group}/epics/1`, { json })), [
        [],
        ['Administrator mentioned you in &1.'],
        [],
        [],
      ]);
      const body = `Said to @${other.username}`;
      assert.deepEqual(await news(() => server.must(`PUT ${at}/issues/1/notes/${note.id}`, { json: { body } })), [
        [],
        ['Administrator mentioned you in a comment:'],
        [],
        [],
      ]);
    });

    it('references in a title create system notes', async () => {
      await server.must(`POST ${at}/issues`, { json: { title: 'Follows #1' } });
      await server.running.services.queue.drain();
      const notes = await server.must(`GET ${at}/issues/1/notes`);
      assert.ok(notes.some(({ body }: { body: string }) => body === 'mentioned in issue #2'));
    });
  });
});
