import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import { type Receiver, startReceiver } from '../../integrations/webhooks/receiver.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { addFilledProject } from '../../support/git-project.ts';
import { addMember, addPerson, type Person } from '../../support/scene.ts';
import { type Answer, startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

let source: GitClient;
before(async () => {
  source = new GitClient();
  await source.init();
  await source.commit({ a: 'one\ntwo\nthree\n' }, 'root');
  await source.commit({ a: 'one\nTWO\nthree\n' }, 'change');
  await source.git('branch', 'feature');
});

forEachEngine((engine) => {
  describe('commit threads', () => {
    let server: TestServer;
    let receiver: Receiver;
    let owner: Person;
    let developer: Person;
    let guest: Person;
    let outsider: Person;
    let project: Project;
    let sha: string;
    let root: string;

    const says = (answer: Answer) => [answer.status, answer.body.message ?? answer.body.error];
    const commit = (name = sha) => `/projects/${project.id}/repository/commits/${name}`;
    const call = (request: string, person: Person | null = owner, json?: object) => {
      const [method, path] = request.split(' ');
      return server.api(`${method} ${commit()}${path}`, { token: person?.token ?? null, ...(json && { json }) });
    };
    const begin = (json: object, person: Person | null = owner) => call('POST /discussions', person, json);
    const onLine = (lines: object, refs: object = {}) => ({
      base_sha: root,
      start_sha: root,
      head_sha: sha,
      position_type: 'text',
      new_path: 'a',
      old_path: 'a',
      ...lines,
      ...refs,
    });

    before(async () => {
      server = await startTestServer(engine, ['--allow-local-egress']);
      receiver = await startReceiver();
      owner = await addPerson(server, 'owner');
      developer = await addPerson(server, 'developer');
      guest = await addPerson(server, 'guest');
      outsider = await addPerson(server, 'outsider');
      project = await addFilledProject(server, owner, 'threads', source, 'private');
      await addMember(server, project, developer, Role.developer);
      await addMember(server, project, guest, Role.guest);
      sha = await source.git('rev-parse', 'main');
      root = await source.git('rev-parse', 'main~1');
      const json = { url: `${receiver.url}/note`, push_events: false, note_events: true };
      await server.must(`POST /projects/${project.id}/hooks`, { json, token: owner.token });
    });

    it('can be created, replied to, updated and deleted', async () => {
      const begun = await begin({ body: 'Why?' });
      assert.equal(begun.status, 201);
      assert.match(begun.body.id, /^[0-9a-f]{40}$/);
      const [first] = begun.body.notes;
      assert.deepEqual(
        [begun.body.individual_note, first.type, first.body, first.noteable_type, first.noteable_id, first.commit_id],
        [false, 'DiscussionNote', 'Why?', 'Commit', null, sha],
      );
      assert.deepEqual([first.resolvable, 'resolved' in first, first.noteable_iid], [false, false, null]);
      const at = `/discussions/${begun.body.id}`;
      const reply = await call(`POST ${at}/notes`, developer, { body: 'Because.' });
      assert.deepEqual([reply.status, reply.body.type, reply.body.body], [201, 'DiscussionNote', 'Because.']);
      assert.deepEqual(
        (await call(`GET ${at}`)).body.notes.map(({ id }: { id: number }) => id),
        [first.id, reply.body.id],
      );
      assert.equal((await call(`GET ${at}/notes`, developer)).body.length, 2);
      assert.equal((await call(`GET ${at}/notes/${reply.body.id}`)).body.body, 'Because.');
      const changed = await call(`PUT ${at}/notes/${reply.body.id}`, developer, { body: 'Because!' });
      assert.deepEqual([changed.status, changed.body.body], [200, 'Because!']);
      assert.deepEqual(says(await call(`PUT ${at}/notes/${first.id}`, developer, { body: 'x' })), [
        403,
        '403 Forbidden',
      ]);
      assert.deepEqual(says(await call(`PUT ${at}/notes/${first.id}`, owner, { resolved: true })), [
        400,
        '400 Bad request - Note is not resolvable',
      ]);
      assert.equal((await call(`DELETE ${at}/notes/${reply.body.id}`, developer)).status, 204);
      assert.equal((await call(`DELETE ${at}/notes/${first.id}`)).status, 204);
      assert.deepEqual(says(await call(`GET ${at}`)), [404, '404 Discussion Not Found']);
    });

    it('can be on diff lines, which comments show too', async () => {
      const begun = await begin({ body: 'Louder?', position: onLine({ new_line: 2 }) });
      assert.equal(begun.status, 201);
      const [note] = begun.body.notes;
      assert.deepEqual([note.type, note.position.new_line, note.position.old_line], ['DiffNote', 2, null]);
      const comments = (await call('GET /comments')).body;
      const { path, line, line_type } = comments.at(-1);
      assert.deepEqual([path, line, line_type], ['a', 2, 'new']);
      const context = await begin({ body: 'Same', position: onLine({ new_line: 3, old_line: 3 }) });
      assert.equal(context.status, 201);
      assert.deepEqual([(await call('GET /comments')).body.at(-1).line_type], [null]);
      const noted = '400 Bad request - Note';
      assert.deepEqual(says(await begin({ body: 'x', position: onLine({ new_line: 9 }) })), [
        400,
        `${noted} {:line_code=>["can't be blank", "must be a valid line code"]}`,
      ]);
      assert.deepEqual(says(await begin({ body: 'x', position: onLine({ new_line: 2 }, { head_sha: root }) })), [
        400,
        `${noted} {:commit_id=>["does not match the diff refs"]}`,
      ]);
      assert.equal((await begin({ body: 'x', position: { new_line: 2 } })).status, 400);
    });

    it('include comments, and only a comment on a line can be replied to', async () => {
      const plain = await call('POST /comments', owner, { note: 'Plain' });
      assert.equal(plain.status, 201);
      const placed = await call('POST /comments', owner, { note: 'Placed', path: 'a', line: 2, line_type: 'old' });
      assert.deepEqual([placed.body.path, placed.body.line_type], ['a', 'old']);
      const threads = (await call('GET /discussions?per_page=100')).body.slice(-2);
      assert.deepEqual(
        threads.map((thread: { individual_note: boolean }) => thread.individual_note),
        [true, false],
      );
      const [alone, lined] = threads;
      assert.deepEqual([lined.notes[0].type, 'position' in lined.notes[0]], ['LegacyDiffNote', false]);
      assert.deepEqual(says(await call(`POST /discussions/${alone.id}/notes`, owner, { body: 'x' })), [
        400,
        '400 Bad request - Discussion can not be replied to.',
      ]);
      assert.equal((await call(`POST /discussions/${lined.id}/notes`, owner, { body: 'x' })).status, 201);
      const list = await call('GET /discussions?per_page=1');
      assert.equal(Number(list.headers.get('x-total')), (await call('GET /discussions?per_page=100')).body.length);
    });

    it('can create a tag by quick action', async () => {
      const tagged = await begin({ body: '/tag v1' });
      assert.deepEqual(
        [tagged.status, tagged.body],
        [202, { commands_changes: { tag_name: 'v1' }, summary: ['Tagged this commit to v1.'] }],
      );
    });

    it('require read access to the code', async () => {
      const { id } = (await begin({ body: 'Ours' })).body;
      for (const path of ['/discussions', `/discussions/${id}`, `/discussions/${id}/notes`]) {
        assert.equal((await call(`GET ${path}`, outsider)).status, 404, path);
        assert.equal((await call(`GET ${path}`, null)).status, 401, path);
        assert.equal((await call(`GET ${path}`, guest)).status, 403, path);
      }
      assert.equal((await begin({ body: 'x' }, guest)).status, 403);
      assert.equal((await begin({ body: 'x' }, outsider)).status, 404);
      assert.equal((await begin({ body: 'x' }, null)).status, 401);
      assert.deepEqual(says(await begin({})), [400, 'body is missing']);
      assert.deepEqual(says(await begin({ body: ' ' })), [400, '400 Bad request - Note {:note=>["can\'t be blank"]}']);
      assert.deepEqual(says(await begin({ body: 'x', internal: true })), [
        400,
        '400 Bad request - Note {:confidential=>["can not be set for this resource"]}',
      ]);
      const other = await server.api(`GET ${commit(root)}/discussions/${id}`, { token: owner.token });
      assert.deepEqual(says(other), [404, '404 Discussion Not Found']);
      const missing = await server.api(`POST ${commit('nope')}/discussions`, {
        token: owner.token,
        json: { body: 'x' },
      });
      assert.deepEqual(says(missing), [404, '404 Commit Not Found']);
    });

    it('trigger webhooks, to-do items and cross-references', async () => {
      const issue = await server.must(`POST /projects/${project.id}/issues`, {
        token: owner.token,
        json: { title: 'Mentioned' },
      });
      const body = `@${developer.user.username} @${guest.user.username} see #${issue.iid}`;
      const { notes } = (await begin({ body })).body;
      const told = await receiver.waitFor('/note', (sent) => sent.object_attributes.note === body);
      const { noteable_type, noteable_id, commit_id, url } = told.body.object_attributes;
      assert.deepEqual([noteable_type, noteable_id, commit_id], ['Commit', null, sha]);
      assert.deepEqual([told.body.commit.id, told.body.commit.title], [sha, 'change']);
      assert.match(url, new RegExp(`/-/commit/${sha}#note_${notes[0].id}$`));
      const todos = () => server.must('GET /todos', { token: developer.token });
      await until(async () => (await todos()).length === 1);
      const [todo] = await todos();
      assert.deepEqual(
        [todo.target_type, todo.action_name, todo.target.id, todo.body, todo.target_url],
        ['Commit', 'directly_addressed', sha, body, url],
      );
      assert.deepEqual(await server.must('GET /todos', { token: guest.token }), []);
      const records = await server.must(`GET /projects/${project.id}/issues/${issue.iid}/notes`, {
        token: owner.token,
      });
      assert.deepEqual(
        records.map((note: { body: string }) => note.body),
        [`mentioned in commit ${sha.slice(0, 8)}`],
      );
      const folder = join(server.running.services.config.data, 'mail');
      const messages = async () => {
        const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml'));
        return Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
      };
      await until(async () => (await messages()).some((message) => message.includes(`To: ${developer.user.email}`)));
      assert.ok((await messages()).every((message) => !message.includes(`To: ${guest.user.email}`)));
      await call(`POST /discussions`, developer, { body: 'Done.' });
      assert.deepEqual(await todos(), []);
      const found = await server.must(`GET /projects/${project.id}/search?scope=notes&search=see`, {
        token: owner.token,
      });
      assert.deepEqual(
        found.map((note: { noteable_type: string }) => note.noteable_type),
        ['Commit'],
      );
      const events = await server.must(`GET /projects/${project.id}/events?action=commented`, { token: owner.token });
      const response = events.find((event: { target_id: number }) => event.target_id === notes[0].id);
      assert.deepEqual(
        [response.target_type, response.note.body, response.note.id],
        ['DiscussionNote', body, notes[0].id],
      );
      const unseen = await server.must(`GET /projects/${project.id}/events?action=commented`, { token: guest.token });
      assert.deepEqual(unseen, []);
    });
  });
});
