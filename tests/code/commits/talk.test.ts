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
  describe('what is said about a commit', () => {
    let server: TestServer;
    let owner: Person;
    let developer: Person;
    let guest: Person;
    let outsider: Person;
    let project: Project;
    let sha: string;

    const says = (answer: Answer) => [answer.status, answer.body.message ?? answer.body.error];
    const comments = (name = sha) => `/projects/${project.id}/repository/commits/${name}/comments`;
    const comment = (json: object, token: string | null = owner.token) =>
      server.api(`POST ${comments()}`, { json, token });
    const statuses = (query = '', name = sha) =>
      `GET /projects/${project.id}/repository/commits/${name}/statuses${query}`;
    const report = (json: object, token: string | null = owner.token, name = sha) =>
      server.api(`POST /projects/${project.id}/statuses/${name}`, { json, token });

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      developer = await addPerson(server, 'developer');
      guest = await addPerson(server, 'guest');
      outsider = await addPerson(server, 'outsider');
      project = await addFilledProject(server, owner, 'discussed', source, 'public');
      await addMember(server, project, developer, Role.developer);
      await addMember(server, project, guest, Role.guest);
      sha = await source.git('rev-parse', 'main');
    });

    describe('by people', () => {
      it('is listed oldest first, on the lines that the commit changed', async () => {
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

      it('is told of in the feed, to those who read the code', async () => {
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

      it('is refused where it says nothing, or nobody says it', async () => {
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

      it('may command a tag', async () => {
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

      it('outlives the one who said it', async () => {
        await server.must(`DELETE /users/${outsider.user.id}`);
        const [first] = await server.must(`GET ${comments()}`);
        assert.equal(first.author.name, 'Ghost User');
      });
    });

    describe('by services', () => {
      it('goes through its states in one status, and shows in the commit', async () => {
        const pending = await report({ state: 'pending', name: 'ci/build', target_url: 'https://ci.example.com/1' });
        assert.equal(pending.status, 201);
        const { id, pipeline_id } = pending.body;
        const { author, created_at, ...rest } = pending.body;
        assert.deepEqual(rest, {
          id,
          sha,
          ref: 'feature',
          status: 'pending',
          name: 'ci/build',
          target_url: 'https://ci.example.com/1',
          description: null,
          started_at: null,
          finished_at: null,
          allow_failure: false,
          coverage: null,
          pipeline_id,
        });
        assert.equal(author.id, owner.user.id);
        assert.match(created_at, /Z$/);
        const again = await report({ state: 'pending', name: 'ci/build' });
        assert.equal(again.status, 400);
        assert.ok(again.body.message.startsWith('Cannot transition status via :enqueue from :pending'));
        const running = await report({ state: 'running', context: 'ci/build', coverage: 81.5 });
        assert.deepEqual([running.body.id, running.body.status, running.body.coverage], [id, 'running', 81.5]);
        assert.notEqual(running.body.started_at, null);
        const commit = await server.must(`GET /projects/${project.id}/repository/commits/${sha}`);
        assert.deepEqual(
          [commit.status, commit.last_pipeline.id, commit.last_pipeline.source, commit.last_pipeline.ref],
          ['running', pipeline_id, 'external', 'feature'],
        );
        const done = await report({ state: 'success', name: 'ci/build', description: 'ok' });
        assert.deepEqual(
          [done.body.id, done.body.status, done.body.description, done.body.target_url],
          [id, 'success', 'ok', 'https://ci.example.com/1'],
        );
        assert.notEqual(done.body.finished_at, null);
        const anew = await report({ state: 'failed', name: 'ci/build' });
        assert.notEqual(anew.body.id, id);
        assert.equal(anew.body.pipeline_id, pipeline_id);
        const seen = await server.must(`GET /projects/${project.id}/repository/commits/${sha}`);
        assert.equal(seen.status, 'failed');
      });

      it('is listed with the newest of each name, or all', async () => {
        await report({ state: 'success', name: 'lint', ref: 'main' });
        await report({ state: 'success' });
        const names = async (query: string) =>
          (await server.must(statuses(query), { token: developer.token })).map((one: { name: string }) => one.name);
        assert.deepEqual(await names(''), ['ci/build', 'lint', 'default']);
        assert.deepEqual(await names('?all=true'), ['ci/build', 'ci/build', 'lint', 'default']);
        assert.deepEqual(await names('?sort=desc'), ['default', 'lint', 'ci/build']);
        assert.deepEqual(await names('?name=lint'), ['lint']);
        assert.deepEqual(await names('?ref=main'), ['lint', 'default']);
        assert.deepEqual(await names('?stage=external&ref=feature'), ['ci/build']);
        const [lint] = await server.must(statuses('?name=lint'));
        assert.deepEqual(await names(`?pipeline_id=${lint.pipeline_id}`), ['lint', 'default']);
        assert.equal((await server.api(statuses('?all=true&per_page=1'))).headers.get('x-total'), '4');
      });

      it('joins the pipeline that is named', async () => {
        const [one] = await server.must(statuses('?name=ci/build'));
        const joined = await report({ state: 'success', name: 'extra', pipeline_id: one.pipeline_id });
        assert.deepEqual([joined.body.pipeline_id, joined.body.ref], [one.pipeline_id, 'feature']);
        const missing = await report({ state: 'success', name: 'extra', pipeline_id: 99_999 });
        assert.deepEqual(says(missing), [404, '404 Pipeline for pipeline_id, sha and ref Not Found']);
      });

      it('reported by many at once counts each once', async () => {
        const root = await source.git('rev-parse', 'main~1');
        const answers = await Promise.all(
          Array.from({ length: 8 }, (_, n) =>
            report({ state: 'running', name: `job ${n % 4}`, ref: 'main' }, owner.token, root),
          ),
        );
        assert.equal(new Set(answers.filter((one) => one.status === 201).map((one) => one.body.pipeline_id)).size, 1);
        assert.deepEqual(answers.map((one) => one.status).sort(), [201, 201, 201, 201, 400, 400, 400, 400]);
      });

      it('is refused when it makes no sense, or comes from the wrong one', async () => {
        assert.deepEqual(says(await report({})), [400, 'state is missing']);
        assert.deepEqual(says(await report({ state: 'fine' })), [400, 'state does not have a valid value']);
        const scheme = await report({ state: 'success', target_url: 'ftp://x' });
        assert.deepEqual(scheme.body.message, { target_url: ['is blocked: Only allowed schemes are http, https'] });
        assert.deepEqual(says(await report({ state: 'success' }, owner.token, 'nope')), [404, '404 Commit Not Found']);
        assert.deepEqual(says(await report({ state: 'success' }, null)), [401, '401 Unauthorized']);
        assert.deepEqual(says(await report({ state: 'success' }, guest.token)), [403, '403 Forbidden']);
        // Who may not push to a protected branch may not vouch for it either.
        const guarded = await report({ state: 'success', ref: 'main' }, developer.token);
        assert.deepEqual(says(guarded), [403, '403 Forbidden']);
        assert.equal((await report({ state: 'success', ref: 'feature' }, developer.token)).status, 201);
        assert.equal((await server.api(statuses(), { token: null })).status, 401);
        assert.equal((await server.api(statuses('', 'nope'))).status, 404);
      });
    });
  });
});
