import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { before, describe, it } from 'node:test';
import type { Area } from '../../../src/access/area.ts';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import { playedJobVariables, transitionJob } from '../../../src/ci/jobs/public.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { addFilledProject } from '../../support/git-project.ts';
import { addMember, addPerson, type Person } from '../../support/scene.ts';
import { type Answer, startTestServer, type TestServer } from '../../support/server.ts';

const configuration = `
stages: [build, deploy]
build:
  stage: build
  script: make
  tags: [linux, amd64]
  retry: 1
ask:
  stage: build
  script: echo
  when: manual
  allow_failure: false
deploy:
  stage: deploy
  script: echo
child:
  stage: deploy
  trigger: {include: child.yml}
`;

/** Replaces the job log area. */
const logs: Area = {
  name: 'test logs',
  contributes: {
    'jobs.trace': async (_services, job) =>
      job.trace_size > 0 ? { size: 5, stream: Readable.from([Buffer.from('hello')]) } : undefined,
  },
};

forEachEngine((engine) => {
  describe('jobs', () => {
    let server: TestServer;
    let owner: Person;
    let developer: Person;
    let stranger: Person;
    let project: Project;
    let pipeline: number;

    const statusAndMessage = (answer: Answer) => [answer.status, answer.body.message ?? answer.body.error];
    const call = (text: string, token: string | null = owner.token, json?: object) =>
      server.api(text, json === undefined ? { token } : { token, json });
    const job = (id: number, action = '') => `/projects/${project.id}/jobs/${id}${action}`;
    const drainQueue = () => server.running.services.queue.drain();
    const listed = async (query = '') =>
      (await call(`GET /projects/${project.id}/pipelines/${pipeline}/jobs${query}`)).body as {
        id: number;
        name: string;
      }[];
    const idOf = async (name: string) => (await listed()).find((one) => one.name === name)?.id ?? 0;
    const move = async (id: number, ...events: Parameters<typeof transitionJob>[3][]) => {
      for (const event of events) {
        await server.db.write((trx) => transitionJob(server.running.services, trx, id, event));
      }
      await drainQueue();
    };

    before(async () => {
      server = await startTestServer(engine, [], [logs]);
      owner = await addPerson(server, 'owner');
      developer = await addPerson(server, 'developer');
      stranger = await addPerson(server, 'stranger');
      const source = new GitClient();
      await source.init();
      await source.commit({ '.gitlab-ci.yml': configuration }, 'root');
      project = await addFilledProject(server, owner, 'jobs', source, 'private');
      await addMember(server, project, developer, Role.developer);
      await drainQueue();
      pipeline = (await call(`GET /projects/${project.id}/pipelines`)).body[0].id;
    });

    it('are listed and shown', async () => {
      const all = await call(`GET /projects/${project.id}/jobs`);
      assert.equal(all.status, 200);
      assert.equal(all.headers.get('x-total'), null);
      assert.deepEqual(all.body.map(({ name }: { name: string }) => name).sort(), ['ask', 'build', 'deploy']);
      const one = await call(`GET ${job(await idOf('build'))}`);
      assert.equal(one.body.status, 'pending');
      assert.deepEqual(one.body.tag_list, ['amd64', 'linux']);
      assert.equal(one.body.pipeline.id, pipeline);
      assert.equal(one.body.commit.title, 'root');
      assert.equal(one.body.user.username, owner.user.username);
      assert.equal(one.body.duration, null);
      assert.equal(typeof one.body.queued_duration, 'number');
      assert.equal(one.body.source, 'push');
      assert.deepEqual(one.body.artifacts, []);
      assert.equal('failure_reason' in one.body, false);
    });

    it('support keyset pagination', async () => {
      const names: string[] = [];
      let cursor: string | null = '';
      for (let pages = 0; cursor !== null && pages < 5; pages += 1) {
        const query: string = `?pagination=keyset&per_page=2&sort=asc${cursor && `&cursor=${cursor}`}`;
        const page: Answer = await call(`GET /projects/${project.id}/jobs${query}`);
        names.push(...page.body.map(({ name }: { name: string }) => name));
        cursor = page.headers.get('x-next-cursor');
      }
      assert.deepEqual(names, ['build', 'ask', 'deploy']);
      const after = (token: string | number) =>
        call(`GET /projects/${project.id}/jobs?pagination=keyset&sort=asc&page_token=${token}`);
      const { body } = await after(await idOf('build'));
      assert.deepEqual(
        body.map(({ name }: { name: string }) => name),
        ['ask', 'deploy'],
      );
      assert.deepEqual(statusAndMessage(await after('nowhere')), [400, 'cursor is invalid']);
      assert.equal((await call(`GET /projects/${project.id}/jobs?scope[]=manual`)).body.length, 1);
      assert.deepEqual(statusAndMessage(await call(`GET /projects/${project.id}/jobs?scope=idle`)), [
        400,
        'scope does not have a valid value',
      ]);
    });

    it('are hidden from users without access', async () => {
      const id = await idOf('build');
      assert.equal((await call(`GET ${job(id)}`, stranger.token)).status, 404);
      assert.equal((await call(`GET /projects/${project.id}/jobs`, null)).status, 401);
      assert.equal((await call(`GET ${job(999_999)}`)).status, 404);
      // The default branch is protected: Developers cannot start or cancel jobs there.
      for (const action of ['/cancel', '/retry', '/play', '/erase']) {
        assert.deepEqual(statusAndMessage(await call(`POST ${job(id, action)}`, developer.token)), [
          403,
          '403 Forbidden',
        ]);
      }
    });

    it('are played with variables', async () => {
      const id = await idOf('ask');
      const bad = { job_variables_attributes: [{ key: 'a-b', value: '' }] };
      assert.equal((await call(`POST ${job(id, '/play')}`, owner.token, bad)).status, 400);
      const json = { job_variables_attributes: [{ key: 'WHERE', value: 'here' }] };
      const played = await call(`POST ${job(id, '/play')}`, owner.token, json);
      assert.deepEqual([played.status, played.body.status], [200, 'pending']);
      assert.deepEqual(statusAndMessage(await call(`POST ${job(id, '/play')}`)), [
        400,
        '400 Bad request - Unplayable Job',
      ]);
      const row = await server.db.read
        .selectFrom('ci_jobs')
        .select('variables')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      assert.deepEqual(playedJobVariables(server.running.services, row), [{ key: 'WHERE', value: 'here' }]);
      assert.doesNotMatch(row.variables, /here/);
      await move(id, 'run', 'success');
      const rerun = await call(`POST ${job(id, '/play')}`);
      assert.equal(rerun.status, 200);
      assert.notEqual(rerun.body.id, id);
      assert.equal(rerun.body.status, 'pending');
      await move(rerun.body.id, 'run', 'success');
    });

    it('are retried automatically up to the limit, then manually', async () => {
      const first = await idOf('build');
      await move(first, 'run', 'drop');
      const second = await idOf('build');
      assert.notEqual(second, first);
      assert.equal((await call(`GET ${job(first)}`)).body.failure_reason, 'unknown_failure');
      await move(second, 'run', 'drop');
      assert.equal(await idOf('build'), second);
      assert.equal((await call(`GET ${job(await idOf('deploy'))}`)).body.status, 'skipped');
      assert.deepEqual(statusAndMessage(await call(`POST ${job(first, '/retry')}`)), [
        403,
        '403 Forbidden - Job is not retryable',
      ]);
      const third = await call(`POST ${job(second, '/retry')}`);
      assert.deepEqual([third.status, third.body.status], [201, 'pending']);
      assert.equal((await call(`GET ${job(await idOf('deploy'))}`)).body.status, 'created');
      assert.equal((await listed('?include_retried=true')).length, (await listed()).length + 3);
      await move(third.body.id, 'run', 'success');
      assert.equal((await call(`GET ${job(await idOf('deploy'))}`)).body.status, 'pending');
    });

    it('are canceled', async () => {
      const id = await idOf('deploy');
      const ended = await call(`POST ${job(id, '/cancel')}`);
      assert.deepEqual([ended.status, ended.body.status], [201, 'canceled']);
      assert.equal((await call(`POST ${job(id, '/cancel')}`)).body.status, 'canceled');
    });

    it('that trigger pipelines are listed separately', async () => {
      const { body } = await call(`GET /projects/${project.id}/pipelines/${pipeline}/bridges`);
      assert.deepEqual(
        body.map((bridge: { name: string; status: string; downstream_pipeline: Record<string, unknown> }) => [
          bridge.name,
          bridge.status,
          bridge.downstream_pipeline.source,
          bridge.downstream_pipeline.status,
        ]),
        // The child configuration does not exist, so the created pipeline failed.
        [['child', 'failed', 'parent_pipeline', 'failed']],
      );
      assert.equal((await call(`GET ${job(body[0].id)}`)).status, 404);
    });

    it('have logs that are erased with the artifacts', async () => {
      const id = await idOf('build');
      const none = await call(`GET ${job(id, '/trace')}`);
      assert.deepEqual([none.status, none.text], [200, '']);
      assert.deepEqual(statusAndMessage(await call(`POST ${job(id, '/erase')}`)), [
        403,
        '403 Forbidden - Job is not erasable!',
      ]);
      await server.db.write((trx) => trx.updateTable('ci_jobs').set({ trace_size: 5 }).where('id', '=', id).execute());
      const trace = await call(`GET ${job(id, '/trace')}`);
      assert.equal(trace.text, 'hello');
      assert.equal(trace.headers.get('content-disposition'), `infile; filename="${id}.log"`);
      const erased = await call(`POST ${job(id, '/erase')}`);
      assert.equal(erased.status, 201);
      assert.ok(erased.body.erased_at);
      assert.equal((await call(`GET ${job(id, '/trace')}`)).text, '');
    });
  });

  describe('CI lint', () => {
    let server: TestServer;
    let owner: Person;
    let stranger: Person;
    let project: Project;

    const call = (text: string, token: string | null = owner.token, json?: object) =>
      server.api(text, json === undefined ? { token } : { token, json });

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      stranger = await addPerson(server, 'stranger');
      const source = new GitClient();
      await source.init();
      await source.commit({ '.gitlab-ci.yml': 'include: a.yml\n', 'a.yml': 'a: {script: x}\n' }, 'root');
      project = await addFilledProject(server, owner, 'linted', source, 'public');
    });

    it('validates the committed configuration', async () => {
      const { status, body } = await call(`GET /projects/${project.id}/ci/lint?include_jobs=true`, null);
      assert.equal(status, 200);
      assert.equal(body.valid, true);
      assert.deepEqual(
        body.jobs.map(({ name }: { name: string }) => name),
        ['a'],
      );
      assert.equal(body.includes[0].location, 'a.yml');
      assert.match(body.merged_yaml, /script/);
      assert.equal((await call(`GET /projects/${project.id}/ci/lint?content_ref=nowhere`)).status, 404);
    });

    it('validates a given configuration', async () => {
      const lint = (json: object, token: string | null = owner.token) =>
        call(`POST /projects/${project.id}/ci/lint`, token, json);
      const bad = await lint({ content: 'a: {stage: nowhere, script: x}\n' });
      assert.deepEqual([bad.status, bad.body.valid], [200, false]);
      assert.match(bad.body.errors[0], /chosen stage/);
      const never = 'a: {script: x, rules: [{when: never}]}\n';
      assert.equal((await lint({ content: never })).body.valid, true);
      assert.equal((await lint({ content: never, dry_run: true })).body.valid, false);
      const dry = await lint({ content: 'a: {script: x}\n', dry_run: true, include_jobs: true });
      assert.equal('only' in dry.body.jobs[0], false);
      assert.equal((await lint({ content: 'a: 1' }, stranger.token)).status, 403);
      assert.equal((await lint({ content: 'a: 1' }, null)).status, 401);
      assert.equal((await lint({})).status, 400);
    });
  });
});
