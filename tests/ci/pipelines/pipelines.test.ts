import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import { transitionJob } from '../../../src/ci/jobs/public.ts';
import { removeOldPipelines } from '../../../src/ci/pipelines/retention.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient, withCredentials } from '../../support/git-client.ts';
import { addFilledProject } from '../../support/git-project.ts';
import { addMember, addPerson, type Person } from '../../support/scene.ts';
import { type Answer, startTestServer, type TestServer } from '../../support/server.ts';
import { RunnerClient } from '../runner-client.ts';

const configuration = `
include: ci/more.yml
stages: [build, test, deploy]
build:
  stage: build
  script: make
test:
  stage: test
  script: make test
deploy:
  stage: deploy
  script: make deploy
  when: manual
only changes:
  stage: build
  script: echo
  rules: [{changes: [docs/*]}]
`;
const included = `
lint:
  stage: test
  needs: []
  allow_failure: true
  script: lint $CI_COMMIT_REF_NAME
  rules: [{if: '$LINT != "no"'}]
`;

forEachEngine((engine) => {
  describe('pipelines', () => {
    let server: TestServer;
    let source: GitClient;
    let owner: Person;
    let developer: Person;
    let guest: Person;
    let stranger: Person;
    let project: Project;

    const statusAndMessage = (answer: Answer) => [answer.status, answer.body.message ?? answer.body.error];
    const at = (rest = '') => `/projects/${project.id}/pipelines${rest}`;
    const call = (text: string, token: string | null = owner.token, json?: object) =>
      server.api(text, json === undefined ? { token } : { token, json });
    const start = (json: object, token: string | null = owner.token) =>
      call(`POST /projects/${project.id}/pipeline`, token, json);
    const drainQueue = () => server.running.services.queue.drain();
    const rows = (pipelineId: number) =>
      server.db.read.selectFrom('ci_jobs').selectAll().where('pipeline_id', '=', pipelineId).orderBy('id').execute();
    const states = async (pipelineId: number) =>
      Object.fromEntries(
        (await rows(pipelineId)).filter((row) => row.retried === 0).map((row) => [row.name, row.status]),
      );
    const move = async (pipelineId: number, name: string, ...events: Parameters<typeof transitionJob>[3][]) => {
      const job = (await rows(pipelineId)).find((row) => row.name === name && row.retried === 0);
      for (const event of events) {
        await server.db.write((trx) => transitionJob(server.running.services, trx, job?.id ?? 0, event));
      }
      await drainQueue();
    };
    const push = async (...args: string[]) => {
      const url = withCredentials(
        server.url,
        `${owner.user.username}/${project.path}`,
        owner.user.username,
        owner.token,
      );
      await source.git('push', '-q', ...args.slice(1), url, args[0] ?? 'main');
      await drainQueue();
    };

    before(async () => {
      server = await startTestServer(engine);
      [owner, developer, guest, stranger] = (await Promise.all(
        (['owner', 'developer', 'guest', 'stranger'] as const).map((name) => addPerson(server, name)),
      )) as [Person, Person, Person, Person];
      source = new GitClient();
      await source.init();
      await source.commit({ '.gitlab-ci.yml': configuration, 'ci/more.yml': included, 'docs/a': '1' }, 'root');
      project = await addFilledProject(server, owner, 'piped', source, 'public');
      await addMember(server, project, developer, Role.developer);
      await addMember(server, project, guest, Role.guest);
      await drainQueue();
    });

    it('are created by pushes and run their stages', async () => {
      const list = await call(`GET ${at()}`, null);
      assert.equal(list.status, 200);
      const [first] = list.body;
      assert.equal(list.body.length, 1);
      assert.equal(first.source, 'push');
      assert.equal(first.status, 'pending');
      assert.equal(first.iid, 1);
      assert.deepEqual(await states(first.id), {
        build: 'pending',
        'only changes': 'pending',
        test: 'created',
        deploy: 'created',
        lint: 'pending',
      });
      await move(first.id, 'only changes', 'run', 'success');
      await move(first.id, 'build', 'run');
      assert.equal((await call(`GET ${at(`/${first.id}`)}`)).body.status, 'running');
      await move(first.id, 'build', 'success');
      assert.equal((await states(first.id)).test, 'pending');
      await move(first.id, 'lint', 'run', 'drop');
      await move(first.id, 'test', 'run', 'success');
      assert.equal((await states(first.id)).deploy, 'manual');
      const { body } = await call(`GET ${at(`/${first.id}`)}`);
      assert.equal(body.status, 'success');
      assert.equal(body.detailed_status.label, 'passed with warnings');
      assert.equal(body.user.id, owner.user.id);
      assert.equal(body.before_sha, '0'.repeat(40));
      assert.equal(typeof body.duration, 'number');
      assert.ok(body.started_at && body.finished_at);
      assert.equal(body.name, null);
    });

    it('expose jobs as commit statuses along with external ones', async () => {
      const [first] = (await call(`GET ${at()}`)).body;
      const base = `/projects/${project.id}`;
      const reported = await call(`POST ${base}/statuses/${first.sha}`, owner.token, {
        state: 'success',
        name: 'elsewhere',
        pipeline_id: first.id,
      });
      assert.equal(reported.status, 201);
      type Status = { id: number; name: string; status: string; target_url: string; pipeline_id: number };
      const statuses = async (query = ''): Promise<Status[]> =>
        (await call(`GET ${base}/repository/commits/${first.sha}/statuses${query}`)).body;
      const all = await statuses();
      const jobs = (await call(`GET ${at(`/${first.id}/jobs`)}`)).body as { id: number; web_url: string }[];
      assert.deepEqual(all.map(({ name }) => name).sort(), [
        'build',
        'deploy',
        'elsewhere',
        'lint',
        'only changes',
        'test',
      ]);
      const build = all.find(({ name }) => name === 'build');
      assert.equal(build?.status, 'success');
      assert.equal(build?.target_url, jobs.find(({ id }) => id === build?.id)?.web_url);
      assert.deepEqual(
        (await statuses('?name=lint')).map(({ status }) => status),
        ['failed'],
      );
      const pages = await Promise.all(
        [1, 2, 3].map((page) => statuses(`?per_page=2&page=${page}&order_by=pipeline_id`)),
      );
      assert.deepEqual(
        pages
          .flat()
          .map(({ name }) => name)
          .sort(),
        all.map(({ name }) => name).sort(),
      );
    });

    it('are created through the API with restricted variables', async () => {
      const json = { ref: 'main', variables: [{ key: 'LINT', value: 'no' }] };
      const created = await start(json);
      assert.equal(created.status, 201);
      assert.equal(created.body.source, 'api');
      assert.equal(created.body.status, 'created');
      assert.equal((await states(created.body.id)).lint, undefined);
      await drainQueue();
      assert.equal((await states(created.body.id)).build, 'pending');
      const variables = `GET ${at(`/${created.body.id}/variables`)}`;
      assert.deepEqual((await call(variables)).body, [
        { variable_type: 'env_var', key: 'LINT', value: 'no', raw: false },
      ]);
      assert.deepEqual(statusAndMessage(await call(variables, developer.token)), [403, '403 Forbidden']);
      assert.equal((await call(variables, null)).status, 401);
      const stored = await server.db.read.selectFrom('pipeline_variables').selectAll().execute();
      assert.ok(stored.every(({ value }) => value !== 'no'));
    });

    it('are rejected with invalid input or without permission', async () => {
      const base = (text: string) => [400, { base: [text] }];
      assert.deepEqual(statusAndMessage(await start({})), [400, 'ref is missing']);
      assert.deepEqual(statusAndMessage(await start({ ref: 'nowhere' })), base('Reference not found'));
      assert.deepEqual(statusAndMessage(await start({ ref: 'main' }, guest.token)), [403, '403 Forbidden']);
      assert.deepEqual(statusAndMessage(await start({ ref: 'main' }, stranger.token)), [403, '403 Forbidden']);
      assert.equal((await start({ ref: 'main' }, null)).status, 401);
      assert.deepEqual(statusAndMessage(await start({ ref: 'main', variables: [{ key: 'a b', value: '' }] }))[0], 400);
      const variables = Array.from({ length: 1001 }, (_, n) => ({ key: `K${n}`, value: '' }));
      const tooMany = base('Variables total must be less than or equal to 1000');
      assert.deepEqual(statusAndMessage(await start({ ref: 'main', variables })), tooMany);
      // The default branch is protected; Developers can neither push nor merge there.
      const advice = 'Please select a different branch or contact your administrator for assistance.';
      assert.deepEqual(
        statusAndMessage(await start({ ref: 'main' }, developer.token)),
        base(`You do not have sufficient permission to run a pipeline on 'main'. ${advice}`),
      );
    });

    it('are canceled and retried', async () => {
      const { body } = await start({ ref: 'main' });
      await drainQueue();
      await move(body.id, 'build', 'run', 'drop');
      await move(body.id, 'only changes', 'run', 'success');
      assert.deepEqual((await states(body.id)).test, 'skipped');
      assert.deepEqual(statusAndMessage(await call(`POST ${at(`/${body.id}/retry`)}`, guest.token)), [
        403,
        '403 Forbidden',
      ]);
      const retried = await call(`POST ${at(`/${body.id}/retry`)}`);
      assert.equal(retried.status, 201);
      assert.equal(retried.body.status, 'running');
      assert.equal(retried.body.finished_at, null);
      assert.equal((await rows(body.id)).filter(({ name }) => name === 'build').length, 2);
      assert.deepEqual([(await states(body.id)).build, (await states(body.id)).test], ['pending', 'created']);
      const ended = await call(`POST ${at(`/${body.id}/cancel`)}`);
      assert.equal(ended.status, 200);
      assert.equal(ended.body.status, 'canceled');
      assert.equal((await call(`POST ${at(`/${body.id}/cancel`)}`)).status, 200);
      assert.equal((await call(`POST ${at('/999999/cancel')}`)).status, 404);
    });

    it('are skipped by commit message or push option, and fail with invalid configuration', async () => {
      await source.commit({ a: '1' }, 'quiet [skip ci]');
      await push('main');
      const [skipped] = (await call(`GET ${at('?per_page=1')}`)).body;
      assert.equal(skipped.status, 'skipped');
      await source.commit({ a: '2' }, 'quiet again');
      await push('main', '-o', 'ci.skip');
      assert.equal((await call(`GET ${at('?per_page=1')}`)).body[0].status, 'skipped');
      await source.git('checkout', '-q', '-b', 'broken');
      await source.commit({ '.gitlab-ci.yml': 'a: {stage: nowhere, script: x}\n' }, 'broken');
      await push('broken');
      const { body } = await call(`GET ${at('/latest?ref=broken')}`);
      assert.equal(body.status, 'failed');
      assert.match(body.yaml_errors, /chosen stage/);
      assert.equal((await start({ ref: 'broken' })).status, 400);
      await source.git('rm', '-q', '.gitlab-ci.yml');
      await source.commit({}, 'nothing to run');
      await push('broken');
      assert.deepEqual(statusAndMessage(await call(`GET ${at('/latest?ref=broken')}`)), [403, '403 Forbidden']);
      assert.deepEqual(statusAndMessage(await start({ ref: 'broken' })), [400, { base: ['Missing CI config file'] }]);
      await source.git('checkout', '-q', 'main');
    });

    it('of older commits are canceled by newer ones, and tags have their own', async () => {
      await source.commit({ b: '1' }, 'one');
      await push('main');
      const [older] = (await call(`GET ${at('?per_page=1')}`)).body;
      assert.deepEqual(Object.keys(await states(older.id)).includes('only changes'), false);
      await source.commit({ b: '2' }, 'two');
      await push('main');
      assert.equal((await call(`GET ${at(`/${older.id}`)}`)).body.status, 'canceled');
      await source.git('tag', 'v1');
      await push('v1');
      const { body } = await call(`GET ${at('?scope=tags')}`);
      assert.deepEqual(
        body.map(({ ref }: { ref: string }) => ref),
        ['v1'],
      );
      assert.equal((await call(`GET ${at(`/${body[0].id}`)}`)).body.tag, true);
    });

    it('are filtered and ordered', async () => {
      const count = async (query: string) => (await call(`GET ${at(query)}`)).body.length;
      assert.ok((await count('?per_page=100')) > 5);
      assert.equal(await count('?ref=broken'), 1);
      assert.equal(await count('?yaml_errors=true'), 1);
      assert.equal(await count('?scope=branches'), 2);
      assert.equal(await count('?username=nobody-at-all'), 0);
      assert.equal(await count(`?username=${developer.user.username}`), 0);
      assert.ok((await count(`?username=${owner.user.username}`)) > 5);
      assert.equal(await count('?source=schedule'), 0);
      assert.equal(await count('?updated_before=2001-01-01T00:00:00Z'), 0);
      const ids = (await call(`GET ${at('?sort=asc')}`)).body.map(({ id }: { id: number }) => id);
      assert.deepEqual(
        ids,
        [...ids].sort((left, right) => left - right),
      );
      assert.deepEqual(statusAndMessage(await call(`GET ${at('?scope=all')}`)), [
        400,
        'scope does not have a valid value',
      ]);
    });

    it('are restricted to members when not public', async () => {
      await call(`PUT /projects/${project.id}`, owner.token, { public_jobs: false });
      for (const token of [null, stranger.token, guest.token]) {
        assert.deepEqual(statusAndMessage(await call(`GET ${at()}`, token)), [403, '403 Forbidden']);
      }
      assert.equal((await call(`GET ${at()}`, developer.token)).status, 200);
      await call(`PUT /projects/${project.id}`, owner.token, { public_jobs: true });
    });

    it('are deleted by Owners without reusing their IIDs', async () => {
      const { body } = await start({ ref: 'main' });
      assert.deepEqual(statusAndMessage(await call(`DELETE ${at(`/${body.id}`)}`, developer.token)), [
        403,
        '403 Forbidden',
      ]);
      assert.equal((await call(`DELETE ${at(`/${body.id}`)}`)).status, 204);
      assert.equal((await call(`GET ${at(`/${body.id}`)}`)).status, 404);
      assert.deepEqual(await rows(body.id), []);
      assert.equal((await start({ ref: 'main' })).body.iid, body.iid + 1);
    });

    it('are deleted after the retention period unless still running', async () => {
      const day = 86_400_000;
      const [ended, waiting, recent] = [
        (await start({ ref: 'main' })).body.id,
        (await start({ ref: 'main' })).body.id,
        (await start({ ref: 'main' })).body.id,
      ];
      await call(`POST ${at(`/${ended}/cancel`)}`);
      await call(`POST ${at(`/${recent}/cancel`)}`);
      await drainQueue();
      const now = Date.now();
      await server.db.write((trx) =>
        trx
          .updateTable('pipelines')
          .set({ created_at: now - 3 * day })
          .where('id', 'in', [ended, waiting])
          .execute(),
      );
      const statuses = async () =>
        Promise.all([ended, waiting, recent].map(async (id) => (await call(`GET ${at(`/${id}`)}`)).status));
      await removeOldPipelines(server.running.services, now);
      assert.deepEqual(await statuses(), [200, 200, 200]);
      const keep = (seconds: number | null, token = owner.token) =>
        call(`PUT /projects/${project.id}`, token, { ci_delete_pipelines_in_seconds: seconds });
      assert.equal((await keep(3600)).status, 400);
      assert.equal((await keep((2 * day) / 1000)).status, 200);
      await removeOldPipelines(server.running.services, now);
      assert.deepEqual(await statuses(), [404, 200, 200]);
      assert.deepEqual(await rows(ended), []);
      assert.equal((await keep(null)).status, 200);
      await removeOldPipelines(server.running.services, now + 30 * day);
      assert.deepEqual(await statuses(), [404, 200, 200]);
      await call(`POST ${at(`/${waiting}/cancel`)}`);
    });

    it('are canceled on a job failure with auto_cancel:on_job_failure', async () => {
      const text = `
workflow: {auto_cancel: {on_job_failure: all}}
flaky: {script: make, retry: 1}
allowed: {script: make, allow_failure: true}
long: {script: make}
`;
      await source.git('checkout', '-q', '-b', 'strict');
      await source.commit({ '.gitlab-ci.yml': text }, 'strict');
      await push('strict');
      const [pipeline] = (await call(`GET ${at('?ref=strict')}`)).body;
      await move(pipeline.id, 'allowed', 'run', 'drop');
      await move(pipeline.id, 'flaky', 'run', 'drop');
      assert.equal((await states(pipeline.id)).long, 'pending');
      assert.equal((await states(pipeline.id)).flaky, 'pending');
      await move(pipeline.id, 'flaky', 'run', 'drop');
      assert.equal((await states(pipeline.id)).long, 'canceled');
      assert.equal((await call(`GET ${at(`/${pipeline.id}`)}`)).body.status, 'failed');
      await source.git('checkout', '-q', 'main');
    });

    it('of older commits stop a running job gracefully if its runner can', async () => {
      const runner = await RunnerClient.create(server, {
        runner_type: 'project_type',
        project_id: project.id,
        tag_list: ['graceful'],
        run_untagged: false,
      });
      await source.git('checkout', '-q', '-b', 'pushed-again');
      await source.commit({ '.gitlab-ci.yml': 'long: {script: make, interruptible: true, tags: [graceful]}' }, 'one');
      await push('pushed-again');
      const job = await runner.take();
      await source.commit({ README: 'two' }, 'two');
      await push('pushed-again');
      const [, older] = (await call(`GET ${at('?ref=pushed-again')}`)).body;
      assert.deepEqual([older.status, await states(older.id)], ['canceling', { long: 'canceling' }]);
      const kept = await runner.report(job, { state: 'running' });
      assert.deepEqual([kept.status, kept.headers.get('job-status')], [200, 'canceling']);
      assert.equal((await runner.report(job, { state: 'failed' })).status, 200);
      await drainQueue();
      assert.equal((await call(`GET ${at(`/${older.id}`)}`)).body.status, 'canceled');
      await source.git('checkout', '-q', 'main');
    });
  });
});
