import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { transitionJob } from '../../../src/ci/jobs/public.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';
import type { Answer } from '../../support/server.ts';

const configuration = `
first: {script: make, resource_group: "prod-$CI_COMMIT_REF_NAME"}
second: {script: make, resource_group: prod-main}
other: {script: make}
`;

const staged = `
stages: [build, test]
build: {stage: build, script: make}
deploy: {stage: test, script: make, resource_group: ordered}
later: {stage: test, script: make, when: manual, resource_group: ordered}
`;

forEachEngine((engine) => {
  describe('resource groups', () => {
    let fixture: ProjectWithRoles;
    const statusAndMessage = (answer: Answer) => [answer.status, answer.body.message ?? answer.body.error];
    const at = (rest = '') => `${fixture.base}/resource_groups${rest}`;
    const drainQueue = () => fixture.server.running.services.queue.drain();
    const startOn = async (ref: string) => {
      const { body } = await fixture.asOwner(`POST ${fixture.base}/pipeline`, { json: { ref } });
      await drainQueue();
      return body.id as number;
    };
    const start = () => startOn('main');
    const rows = (pipelineId: number) =>
      fixture.server.db.read.selectFrom('ci_jobs').selectAll().where('pipeline_id', '=', pipelineId).execute();
    const states = async (pipelineId: number) =>
      Object.fromEntries((await rows(pipelineId)).map(({ name, status }) => [name, status]));
    const move = async (pipelineId: number, name: string, ...events: Parameters<typeof transitionJob>[3][]) => {
      const job = (await rows(pipelineId)).find((row) => row.name === name);
      for (const event of events) {
        await fixture.server.db.write((trx) =>
          transitionJob(fixture.server.running.services, trx, job?.id ?? 0, event),
        );
      }
      await drainQueue();
    };

    before(async () => {
      const source = new GitClient();
      await source.init();
      await source.commit({ '.gitlab-ci.yml': configuration }, 'root [skip ci]');
      await source.git('checkout', '-q', '-b', 'staged');
      await source.commit({ '.gitlab-ci.yml': staged }, 'stages [skip ci]');
      await source.git('checkout', '-q', 'main');
      fixture = await projectWithRoles(engine, 'guarded', source);
      await fixture.asOwner(`PUT ${fixture.base}`, { json: { auto_cancel_pending_pipelines: 'disabled' } });
      await drainQueue();
    });

    it('run one job at a time', async () => {
      const { asDeveloper, server } = fixture;
      const pipeline = await start();
      assert.deepEqual(await states(pipeline), {
        first: 'pending',
        second: 'waiting_for_resource',
        other: 'pending',
      });
      const [group] = (await asDeveloper(`GET ${at()}`)).body;
      assert.deepEqual([group.key, group.process_mode], ['prod-main', 'unordered']);
      assert.equal((await asDeveloper(`GET ${at('/prod-main/current_job')}`)).body.name, 'first');
      const upcoming = (await asDeveloper(`GET ${at('/prod-main/upcoming_jobs')}`)).body;
      assert.deepEqual(
        upcoming.map(({ name }: { name: string }) => name),
        ['second'],
      );
      await move(pipeline, 'first', 'run');
      assert.equal((await states(pipeline)).second, 'waiting_for_resource');
      await move(pipeline, 'first', 'drop');
      assert.equal((await states(pipeline)).second, 'pending');
      await move(pipeline, 'second', 'run', 'success');
      const noHolder = await asDeveloper(`GET ${at('/prod-main/current_job')}`);
      assert.deepEqual([noHolder.status, noHolder.body], [200, null]);
      assert.equal((await server.api(`GET ${at()}`, { token: fixture.reporter.token })).status, 403);
      assert.deepEqual(statusAndMessage(await asDeveloper(`GET ${at('/none')}`)), [404, '404 Not Found']);
    });

    it('follow the process mode and skip canceled jobs', async () => {
      const { asDeveloper } = fixture;
      const changed = await asDeveloper(`PUT ${at('/prod-main')}`, { json: { process_mode: 'newest_first' } });
      assert.deepEqual([changed.status, changed.body.process_mode], [200, 'newest_first']);
      const wrong = await asDeveloper(`PUT ${at('/prod-main')}`, { json: { process_mode: 'any' } });
      assert.deepEqual(statusAndMessage(wrong), [400, 'process_mode does not have a valid value']);
      const older = await start();
      const holder = (await asDeveloper(`GET ${at('/prod-main/current_job')}`)).body;
      const newer = await start();
      assert.equal((await states(newer)).first, 'waiting_for_resource');
      await move(newer, 'second', 'cancel');
      await move(older, holder.name, 'run', 'success');
      assert.deepEqual((await states(newer)).first, 'pending');
      const left = (await rows(older)).filter(({ status }) => status === 'waiting_for_resource');
      assert.equal(left.length, 1);
      await asDeveloper(`POST ${fixture.base}/pipelines/${newer}/cancel`);
      await fixture.asOwner(`POST ${fixture.base}/pipelines/${newer}/cancel`);
      await drainQueue();
      assert.deepEqual(
        (await rows(older)).filter(({ status }) => status === 'waiting_for_resource'),
        [],
      );
    });

    it('make later pipelines wait for earlier ones that are not ready with oldest_first', async () => {
      const { asDeveloper } = fixture;
      const first = await startOn('staged');
      assert.deepEqual(await states(first), { build: 'pending', deploy: 'created', later: 'created' });
      const put = await asDeveloper(`PUT ${at('/ordered')}`, { json: { process_mode: 'oldest_first' } });
      assert.equal(put.body.process_mode, 'oldest_first');
      const second = await startOn('staged');
      await move(second, 'build', 'run', 'success');
      assert.equal((await states(second)).deploy, 'waiting_for_resource');
      const names = (await asDeveloper(`GET ${at('/ordered/upcoming_jobs')}`)).body.map(
        (job: { name: string; pipeline: { id: number } }) => [job.pipeline.id, job.name],
      );
      assert.deepEqual(names, [
        [first, 'deploy'],
        [first, 'later'],
        [second, 'deploy'],
      ]);
      await move(first, 'build', 'run', 'success');
      assert.deepEqual(
        [(await states(first)).deploy, (await states(second)).deploy],
        ['pending', 'waiting_for_resource'],
      );
      await move(first, 'deploy', 'run', 'success');
      assert.equal((await states(second)).deploy, 'pending');
      await move(second, 'deploy', 'run', 'success');
    });

    it('prefer the newest pipeline or the newest ready one, by process mode', async () => {
      const { asDeveloper } = fixture;
      await asDeveloper(`PUT ${at('/ordered')}`, { json: { process_mode: 'newest_first' } });
      const older = await startOn('staged');
      const newer = await startOn('staged');
      await move(older, 'build', 'run', 'success');
      assert.equal((await states(older)).deploy, 'waiting_for_resource');
      // In the new mode the job need not wait for jobs that are not ready.
      await asDeveloper(`PUT ${at('/ordered')}`, { json: { process_mode: 'newest_ready_first' } });
      await drainQueue();
      assert.equal((await states(older)).deploy, 'pending');
      await move(newer, 'build', 'run', 'success');
      assert.equal((await states(newer)).deploy, 'waiting_for_resource');
      // Deleting the pipeline of the holder frees the resource.
      assert.equal((await fixture.asOwner(`DELETE ${fixture.base}/pipelines/${older}`)).status, 204);
      await drainQueue();
      assert.equal((await states(newer)).deploy, 'pending');
    });
  });
});
