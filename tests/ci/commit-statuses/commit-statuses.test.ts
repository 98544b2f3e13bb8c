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
  describe('commit statuses', () => {
    let server: TestServer;
    let owner: Person;
    let developer: Person;
    let guest: Person;
    let project: Project;
    let sha: string;

    const statusAndMessage = (answer: Answer) => [answer.status, answer.body.message ?? answer.body.error];
    const statuses = (query = '', name = sha) =>
      `GET /projects/${project.id}/repository/commits/${name}/statuses${query}`;
    const report = (json: object, token: string | null = owner.token, name = sha) =>
      server.api(`POST /projects/${project.id}/statuses/${name}`, { json, token });

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      developer = await addPerson(server, 'developer');
      guest = await addPerson(server, 'guest');
      project = await addFilledProject(server, owner, 'discussed', source, 'public');
      await addMember(server, project, developer, Role.developer);
      await addMember(server, project, guest, Role.guest);
      sha = await source.git('rev-parse', 'main');
    });

    it('change state and show in the commit', async () => {
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
      const repeated = await report({ state: 'pending', name: 'ci/build' });
      assert.equal(repeated.status, 400);
      assert.ok(repeated.body.message.startsWith('Cannot transition status via :enqueue from :pending'));
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
      const next = await report({ state: 'failed', name: 'ci/build' });
      assert.notEqual(next.body.id, id);
      assert.equal(next.body.pipeline_id, pipeline_id);
      const updated = await server.must(`GET /projects/${project.id}/repository/commits/${sha}`);
      assert.equal(updated.status, 'failed');
    });

    it('are listed with the latest of each name, or all', async () => {
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

    it('are added to the given pipeline', async () => {
      const [one] = await server.must(statuses('?name=ci/build'));
      const joined = await report({ state: 'success', name: 'extra', pipeline_id: one.pipeline_id });
      assert.deepEqual([joined.body.pipeline_id, joined.body.ref], [one.pipeline_id, 'feature']);
      const missing = await report({ state: 'success', name: 'extra', pipeline_id: 99_999 });
      assert.deepEqual(statusAndMessage(missing), [404, '404 Pipeline for pipeline_id, sha and ref Not Found']);
    });

    it('are recorded once each when reported concurrently', async () => {
      const root = await source.git('rev-parse', 'main~1');
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          report({ state: 'running', name: `job ${n % 4}`, ref: 'main' }, owner.token, root),
        ),
      );
      assert.equal(new Set(answers.filter((one) => one.status === 201).map((one) => one.body.pipeline_id)).size, 1);
      assert.deepEqual(answers.map((one) => one.status).sort(), [201, 201, 201, 201, 400, 400, 400, 400]);
    });

    it('are rejected when invalid or not permitted', async () => {
      assert.deepEqual(statusAndMessage(await report({})), [400, 'state is missing']);
      assert.deepEqual(statusAndMessage(await report({ state: 'fine' })), [400, 'state does not have a valid value']);
      const scheme = await report({ state: 'success', target_url: 'ftp://x' });
      assert.deepEqual(scheme.body.message, { target_url: ['is blocked: Only allowed schemes are http, https'] });
      assert.deepEqual(statusAndMessage(await report({ state: 'success' }, owner.token, 'nope')), [
        404,
        '404 Commit Not Found',
      ]);
      assert.deepEqual(statusAndMessage(await report({ state: 'success' }, null)), [401, '401 Unauthorized']);
      assert.deepEqual(statusAndMessage(await report({ state: 'success' }, guest.token)), [403, '403 Forbidden']);
      // Reporting on a protected branch requires permission to push to it.
      const onProtected = await report({ state: 'success', ref: 'main' }, developer.token);
      assert.deepEqual(statusAndMessage(onProtected), [403, '403 Forbidden']);
      assert.equal((await report({ state: 'success', ref: 'feature' }, developer.token)).status, 201);
      assert.equal((await server.api(statuses(), { token: null })).status, 401);
      assert.equal((await server.api(statuses('', 'nope'))).status, 404);
    });
  });
});
