import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { transitionJob } from '../../../src/ci/jobs/public.ts';
import { variablesOfJob } from '../../../src/ci/variables/public.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';
import type { Answer } from '../../support/server.ts';
import { RunnerClient } from '../runner-client.ts';

const configuration = `
deploy:
  script: make deploy
  environment:
    name: review/$CI_COMMIT_REF_SLUG
    url: https://$CI_ENVIRONMENT_SLUG.example.com
    on_stop: tear down
    auto_stop_in: 2 days
tear down:
  script: make undeploy
  when: manual
  environment: {name: review/$CI_COMMIT_REF_SLUG, action: stop}
verify:
  script: make verify
  environment: {name: staging, action: verify, deployment_tier: testing}
prepare:
  script: make data
  when: manual
  environment: {name: review/$CI_COMMIT_REF_SLUG, action: prepare}
look:
  script: make screenshots
  when: manual
  environment: {name: review/$CI_COMMIT_REF_SLUG, action: verify}
demonstrate:
  script: make demonstration
  when: manual
  variables: {DAYS: 5}
  environment: {name: review/$CI_COMMIT_REF_SLUG, action: access, auto_stop_in: $DAYS days}
`;

forEachEngine((engine) => {
  describe('environments and deployments', () => {
    let fixture: ProjectWithRoles;
    let sha: string;
    const statusAndMessage = (answer: Answer) => [answer.status, answer.body.message ?? answer.body.error];
    const at = (rest = '') => `${fixture.base}/environments${rest}`;
    const deployments = (rest = '') => `${fixture.base}/deployments${rest}`;
    const drainQueue = () => fixture.server.running.services.queue.drain();
    const rows = (pipelineId: number) =>
      fixture.server.db.read.selectFrom('ci_jobs').selectAll().where('pipeline_id', '=', pipelineId).execute();
    const move = async (pipelineId: number, name: string, ...events: Parameters<typeof transitionJob>[3][]) => {
      const job = (await rows(pipelineId)).find((row) => row.name === name && row.retried === 0);
      for (const event of events) {
        await fixture.server.db.write((trx) =>
          transitionJob(fixture.server.running.services, trx, job?.id ?? 0, event),
        );
      }
      await drainQueue();
    };
    const startOne = async () => {
      const { body } = await fixture.asOwner(`POST ${fixture.base}/pipeline`, { json: { ref: 'main' } });
      await drainQueue();
      return body.id as number;
    };

    before(async () => {
      const source = new GitClient();
      await source.init();
      await source.commit({ '.gitlab-ci.yml': configuration }, 'root [skip ci]');
      sha = (await source.git('rev-parse', 'HEAD')).trim();
      fixture = await projectWithRoles(engine, 'deployed', source);
      await drainQueue();
    });

    it('are created, found, updated, stopped and deleted through the API', async () => {
      const { asDeveloper, server } = fixture;
      const created = await asDeveloper(`POST ${at()}`, {
        json: { name: 'Production EU', external_url: 'https://eu.example.com', description: 'the real one' },
      });
      assert.equal(created.status, 201);
      const { body } = created;
      assert.deepEqual([body.tier, body.state, body.auto_stop_setting], ['production', 'available', 'always']);
      assert.match(body.slug, /^production-eu-[a-z0-9]{6}$/);
      assert.equal(body.project.id, fixture.project.id);
      assert.equal(body.last_deployment, null);
      const one = at(`/${body.id}`);
      assert.equal((await asDeveloper(`GET ${one}`)).body.description, 'the real one');
      assert.equal((await asDeveloper(`GET ${at('?search=rod')}`)).body.length, 1);
      assert.equal((await asDeveloper(`GET ${at('?search=TION%20e')}`)).body.length, 1);
      assert.equal((await asDeveloper(`GET ${at('?search=ro_uc')}`)).body.length, 0);
      assert.equal((await asDeveloper(`GET ${at('?name=Production EU')}`)).body.length, 1);
      assert.equal((await asDeveloper(`GET ${at('?states=stopped')}`)).body.length, 0);
      const short = await asDeveloper(`GET ${at('?search=pr')}`);
      assert.deepEqual(statusAndMessage(short), [400, '400 Bad request - Search query is less than 3 characters']);
      const taken = await asDeveloper(`POST ${at()}`, { json: { name: 'Production EU' } });
      assert.deepEqual(statusAndMessage(taken), [400, { name: ['has already been taken'] }]);
      const wrong = await asDeveloper(`POST ${at()}`, { json: { name: 'x', external_url: 'javascript:1' } });
      assert.deepEqual(statusAndMessage(wrong), [400, { external_url: ['must be a valid URL'] }]);
      assert.equal((await asDeveloper(`POST ${at()}`, { json: { name: 'x', slug: 'y' } })).status, 400);
      const changed = await asDeveloper(`PUT ${one}`, { json: { tier: 'staging' } });
      assert.equal(changed.body.tier, 'staging');
      const cleared = await asDeveloper(`PUT ${one}`, { json: { external_url: null, description: null } });
      assert.deepEqual([cleared.body.external_url, cleared.body.description], [null, null]);
      assert.deepEqual(statusAndMessage(await asDeveloper(`DELETE ${one}`)), [403, '403 Forbidden']);
      assert.equal((await asDeveloper(`POST ${one}/stop`)).body.state, 'stopped');
      assert.equal((await asDeveloper(`DELETE ${one}`)).status, 204);
      assert.deepEqual(statusAndMessage(await asDeveloper(`GET ${one}`)), [404, '404 Environment Not Found']);
      const { guest, reporter } = fixture;
      assert.equal((await server.api(`GET ${at()}`, { token: guest.token })).status, 403);
      assert.equal((await server.api(`GET ${at()}`, { token: reporter.token })).status, 200);
      assert.equal((await server.api(`POST ${at()}`, { token: reporter.token, json: { name: 'x' } })).status, 403);
      assert.equal((await server.api(`GET ${at()}`, { token: null })).status, 401);
    });

    it('are created, updated and stopped by jobs', async () => {
      const { asOwner } = fixture;
      const pipeline = await startOne();
      const [review] = (await asOwner(`GET ${at('?name=review/main')}`)).body;
      assert.deepEqual([review.state, review.tier, review.external_url], ['available', 'development', null]);
      const deploy = (await rows(pipeline)).find(({ name }) => name === 'deploy');
      assert.ok(deploy);
      const variables = await variablesOfJob(fixture.server.running.services, fixture.server.db.read, deploy);
      const value = (key: string) => variables.find((one) => one.key === key)?.value;
      assert.equal(value('CI_ENVIRONMENT_SLUG'), review.slug);
      assert.equal(value('CI_ENVIRONMENT_URL'), `https://${review.slug}.example.com`);
      const deployment = async () => (await asOwner(`GET ${deployments('?environment=review/main')}`)).body[0];
      assert.deepEqual([(await deployment()).status, (await deployment()).deployable.name], ['created', 'deploy']);
      await move(pipeline, 'deploy', 'run');
      assert.equal((await deployment()).status, 'running');
      await move(pipeline, 'deploy', 'success');
      const done = await deployment();
      assert.deepEqual([done.status, done.sha, done.environment.name], ['success', sha, 'review/main']);
      const shown = (await asOwner(`GET ${at(`/${review.id}`)}`)).body;
      assert.equal(shown.external_url, `https://${review.slug}.example.com`);
      assert.equal(shown.last_deployment.id, done.id);
      const left = Date.parse(shown.auto_stop_at) - Date.now();
      assert.ok(left > 47 * 3_600_000 && left <= 48 * 3_600_000);
      assert.equal((await asOwner(`PUT ${deployments(`/${done.id}`)}`, { json: { status: 'failed' } })).status, 403);
      const stopping = await asOwner(`POST ${at(`/${review.id}/stop`)}`);
      assert.deepEqual([stopping.status, stopping.body.state], [200, 'stopping']);
      assert.equal((await rows(pipeline)).find(({ name }) => name === 'tear down')?.status, 'pending');
      await move(pipeline, 'tear down', 'run', 'success');
      assert.equal((await asOwner(`GET ${at(`/${review.id}`)}`)).body.state, 'stopped');
      const [staging] = (await asOwner(`GET ${at('?name=staging')}`)).body;
      assert.equal(staging.tier, 'testing');
      assert.deepEqual((await asOwner(`GET ${deployments('?environment=staging')}`)).body, []);
    });

    it('are stopped automatically after their auto-stop time', async () => {
      const { asOwner, server } = fixture;
      const pipeline = await startOne();
      await move(pipeline, 'deploy', 'run', 'success');
      const [review] = (await asOwner(`GET ${at('?name=review/main')}`)).body;
      assert.equal(review.state, 'available');
      await server.db.write(async (trx) => {
        await trx.updateTable('environments').set({ auto_stop_at: 1 }).where('id', '=', review.id).execute();
        const sweep = trx.updateTable('recurring_jobs').set({ next_run_at: 1 });
        await sweep.where('name', '=', 'environments.stop-expired').execute();
      });
      await drainQueue();
      assert.equal((await asOwner(`GET ${at(`/${review.id}`)}`)).body.state, 'stopping');
      await move(pipeline, 'tear down', 'run', 'drop');
      assert.equal((await asOwner(`GET ${at(`/${review.id}`)}`)).body.state, 'available');
      const forced = await asOwner(`POST ${at(`/${review.id}/stop`)}`, { json: { force: true } });
      assert.equal(forced.body.state, 'stopped');
    });

    it('are stopped later after jobs that use them, except those that only verify them', async () => {
      const { asOwner, server } = fixture;
      const pipeline = await startOne();
      const [review] = (await asOwner(`GET ${at('?name=review/main')}`)).body;
      const hoursLeft = async (job: string, ...events: Parameters<typeof move>[2][]) => {
        const soon = Date.now() + 3_600_000;
        await server.db.write((trx) =>
          trx.updateTable('environments').set({ auto_stop_at: soon }).where('id', '=', review.id).execute(),
        );
        await move(pipeline, job, 'enqueue', 'run', ...events);
        const { auto_stop_at } = (await asOwner(`GET ${at(`/${review.id}`)}`)).body;
        return Math.ceil((Date.parse(auto_stop_at) - Date.now()) / 3_600_000);
      };
      assert.equal(await hoursLeft('look', 'success'), 1);
      assert.equal(await hoursLeft('demonstrate', 'success'), 120);
      assert.equal(await hoursLeft('prepare', 'success'), 48);
      await asOwner(
        `POST ${fixture.base}/jobs/${(await rows(pipeline)).find(({ name }) => name === 'prepare')?.id}/retry`,
      );
      assert.equal(await hoursLeft('prepare', 'drop'), 1);
      await asOwner(`POST ${at(`/${review.id}/stop`)}`, { json: { force: true } });
    });

    it('are stopped when their branch is deleted', async () => {
      const { asOwner } = fixture;
      await asOwner(`POST ${fixture.base}/repository/branches`, { json: { branch: 'passing', ref: 'main' } });
      await drainQueue();
      const { body } = await asOwner(`POST ${fixture.base}/pipeline`, { json: { ref: 'passing' } });
      await drainQueue();
      await move(body.id, 'deploy', 'run', 'success');
      await asOwner(`DELETE ${fixture.base}/repository/branches/passing`);
      await drainQueue();
      const [review] = (await asOwner(`GET ${at('?name=review/passing')}`)).body;
      assert.equal(review.state, 'stopping');
      await asOwner(`POST ${at(`/${review.id}/stop`)}`, { json: { force: true } });
      await asOwner(`DELETE ${at(`/${review.id}`)}`);
    });

    it('are deleted as old review apps and stopped as stale on request', async () => {
      const { asOwner, asDeveloper, server } = fixture;
      const [review] = (await asOwner(`GET ${at('?name=review/main')}`)).body;
      await server.db.write((trx) =>
        trx.updateTable('environments').set({ created_at: 1 }).where('id', '=', review.id).execute(),
      );
      const dry = await asDeveloper(`DELETE ${at('/review_apps')}`);
      assert.deepEqual([dry.status, dry.body.scheduled_entries[0]?.id], [200, review.id]);
      assert.equal((await asOwner(`GET ${at(`/${review.id}`)}`)).status, 200);
      await asDeveloper(`DELETE ${at('/review_apps?dry_run=false')}`);
      assert.equal((await asOwner(`GET ${at(`/${review.id}`)}`)).status, 404);
      const before = new Date(Date.now() - 30 * 86_400_000).toISOString();
      const [staging] = (await asOwner(`GET ${at('?name=staging')}`)).body;
      await server.db.write((trx) =>
        trx.updateTable('environments').set({ updated_at: 1 }).where('id', '=', staging.id).execute(),
      );
      const requested = await asOwner(`POST ${at('/stop_stale')}`, { json: { before } });
      assert.deepEqual(
        [requested.status, requested.body],
        [200, { message: 'Successfully requested stop for all stale environments' }],
      );
      assert.ok((await asOwner(`GET ${at(`/${staging.id}`)}`)).body.auto_stop_at);
      const late = await asOwner(`POST ${at('/stop_stale')}`, { json: { before: new Date().toISOString() } });
      assert.deepEqual(statusAndMessage(late), [400, '400 Bad request - Invalid Date']);
      assert.equal((await asDeveloper(`POST ${at('/stop_stale')}`, { json: { before } })).status, 403);
    });

    it('reject outdated deployments except explicit rollbacks', async () => {
      const { server, asOwner, base } = fixture;
      const runner = await RunnerClient.create(server, { runner_type: 'project_type', project_id: fixture.project.id });
      await asOwner(`PUT ${base}`, { json: { auto_cancel_pending_pipelines: 'disabled' } });
      for (const { id } of (await asOwner(`GET ${base}/pipelines?per_page=100`)).body)
        await asOwner(`POST ${base}/pipelines/${id}/cancel`);
      await drainQueue();
      const file = { branch: 'main', commit_message: 'next [skip ci]' };
      const older = await startOne();
      await asOwner(`POST ${base}/repository/files/next`, { json: { ...file, content: 'next' } });
      const newer = await startOne();
      const job = async (pipeline: number) =>
        (await rows(pipeline)).find(({ name, retried }) => name === 'deploy' && retried === 0);
      await move(newer, 'deploy', 'run', 'success');
      for (const { id, name } of [...(await rows(older)), ...(await rows(newer))])
        if (name !== 'deploy') await asOwner(`POST ${base}/jobs/${id}/cancel`);
      await drainQueue();
      assert.equal((await runner.ask()).status, 204);
      assert.deepEqual(
        [(await job(older))?.status, (await job(older))?.failure_reason],
        ['failed', 'failed_outdated_deployment_job'],
      );
      const retryOlder = async () => {
        const retried = await asOwner(`POST ${base}/jobs/${(await job(older))?.id}/retry`);
        assert.equal(retried.status, 201, retried.text);
        await drainQueue();
        return runner.ask();
      };
      await asOwner(`PUT ${base}`, { json: { ci_forward_deployment_rollback_allowed: false } });
      assert.equal((await retryOlder()).status, 204);
      await asOwner(`PUT ${base}`, { json: { ci_forward_deployment_rollback_allowed: true } });
      const back = await retryOlder();
      assert.equal(back.body.job_info.name, 'deploy');
      await runner.report(back.body, { state: 'success' });
      await drainQueue();
    });

    it('include the last deployment on request, and the permissions of the caller', async () => {
      const { asDeveloper, server } = fixture;
      const [plain] = (await asDeveloper(`GET ${at('?search=review/')}`)).body;
      assert.deepEqual([plain.last_deployment, plain.user_can_deploy, plain.protected], [undefined, undefined, false]);
      const { body } = await asDeveloper(`GET ${at('?with_last_deployment=true')}`);
      for (const one of body) {
        const single = await asDeveloper(`GET ${at(`/${one.id}`)}`);
        assert.deepEqual(one.last_deployment, single.body.last_deployment, one.name);
        assert.equal(single.body.user_can_deploy, true);
      }
      assert.ok(body.some(({ last_deployment: last }: Answer['body']) => last !== null));
      assert.equal((await server.must(`GET ${at(`/${plain.id}`)}`)).user_can_deploy, true);
    });

    it('are recorded through the API', async () => {
      const { asDeveloper, asOwner } = fixture;
      const json = { environment: 'elsewhere', sha, ref: 'main', tag: false, status: 'running' };
      const created = await asDeveloper(`POST ${deployments()}`, { json });
      assert.deepEqual([created.status, created.body.status, created.body.deployable], [201, 'running', null]);
      const one = deployments(`/${created.body.id}`);
      assert.deepEqual(statusAndMessage(await asOwner(`DELETE ${one}`)), [400, 'Cannot destroy running deployment']);
      const done = await asDeveloper(`PUT ${one}`, { json: { status: 'success' } });
      assert.deepEqual([done.status, done.body.status], [200, 'success']);
      assert.deepEqual(statusAndMessage(await asOwner(`DELETE ${one}`)), [
        400,
        'Deployment currently deployed to environment',
      ]);
      assert.equal((await asDeveloper(`POST ${deployments()}`, { json: { ...json, status: 'success' } })).status, 201);
      assert.equal((await asDeveloper(`DELETE ${one}`)).status, 403);
      assert.equal((await asOwner(`DELETE ${one}`)).status, 204);
      const absent = await asDeveloper(`POST ${deployments()}`, { json: { ...json, sha: '0'.repeat(40) } });
      assert.deepEqual(statusAndMessage(absent), [400, { sha: ['The commit does not exist'] }]);
      const nowhere = await asDeveloper(`POST ${deployments()}`, { json: { ...json, ref: 'none' } });
      assert.deepEqual(statusAndMessage(nowhere), [400, { ref: ['The branch or tag does not exist'] }]);
      const list = await asDeveloper(`GET ${deployments('?status=success&order_by=updated_at&sort=desc')}`);
      assert.ok(list.body.length >= 1);
      const requests = await asDeveloper(`GET ${deployments(`/${list.body[0].id}/merge_requests`)}`);
      assert.deepEqual([requests.status, requests.body], [200, []]);
      const found = async (query: string) => (await asDeveloper(`GET ${deployments(query)}`)).body;
      assert.ok((await found(`?sha=${sha}&environment=elsewhere`)).length >= 1);
      assert.deepEqual(await found(`?sha=${'0'.repeat(40)}`), []);
      const [byJob] = (await found('?sort=desc&per_page=100')).filter(({ deployable }: Answer['body']) => deployable);
      const ofJob = await found(`?job_id=${byJob.deployable.id}`);
      assert.deepEqual(
        ofJob.map(({ id }: Answer['body']) => id),
        [byJob.id],
      );
      assert.equal((await asDeveloper(`GET ${deployments('?job_id=x')}`)).status, 400);
      const after = await asDeveloper(`GET ${deployments('?finished_before=2000-01-01T00:00:00Z')}`);
      assert.deepEqual(after.body, []);
    });
  });
});
