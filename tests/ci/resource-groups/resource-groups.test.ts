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
    let place: ProjectWithRoles;
    const says = (answer: Answer) => [answer.status, answer.body.message ?? answer.body.error];
    const at = (rest = '') => `${place.base}/resource_groups${rest}`;
    const settled = () => place.server.running.services.queue.drain();
    const startOn = async (ref: string) => {
      const { body } = await place.asOwner(`POST ${place.base}/pipeline`, { json: { ref } });
      await settled();
      return body.id as number;
    };
    const start = () => startOn('main');
    const rows = (pipelineId: number) =>
      place.server.db.read.selectFrom('ci_jobs').selectAll().where('pipeline_id', '=', pipelineId).execute();
    const states = async (pipelineId: number) =>
      Object.fromEntries((await rows(pipelineId)).map(({ name, status }) => [name, status]));
    const move = async (pipelineId: number, name: string, ...events: Parameters<typeof transitionJob>[3][]) => {
      const job = (await rows(pipelineId)).find((row) => row.name === name);
      for (const event of events) {
        await place.server.db.write((trx) => transitionJob(place.server.running.services, trx, job?.id ?? 0, event));
      }
      await settled();
    };

    before(async () => {
      const source = new GitClient();
      await source.init();
      await source.commit({ '.gitlab-ci.yml': configuration }, 'root [skip ci]');
      await source.git('checkout', '-q', '-b', 'staged');
      await source.commit({ '.gitlab-ci.yml': staged }, 'stages [skip ci]');
      await source.git('checkout', '-q', 'main');
      place = await projectWithRoles(engine, 'guarded', source);
      await place.asOwner(`PUT ${place.base}`, { json: { auto_cancel_pending_pipelines: 'disabled' } });
      await settled();
    });

    it('let one job at a time through', async () => {
      const { asDeveloper, server } = place;
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
      const nobody = await asDeveloper(`GET ${at('/prod-main/current_job')}`);
      assert.deepEqual([nobody.status, nobody.body], [200, null]);
      assert.equal((await server.api(`GET ${at()}`, { token: place.reporter.token })).status, 403);
      assert.deepEqual(says(await asDeveloper(`GET ${at('/none')}`)), [404, '404 Not Found']);
    });

    it('take turns as their mode says, and pass over what was ended', async () => {
      const { asDeveloper } = place;
      const changed = await asDeveloper(`PUT ${at('/prod-main')}`, { json: { process_mode: 'newest_first' } });
      assert.deepEqual([changed.status, changed.body.process_mode], [200, 'newest_first']);
      const wrong = await asDeveloper(`PUT ${at('/prod-main')}`, { json: { process_mode: 'any' } });
      assert.deepEqual(says(wrong), [400, 'process_mode does not have a valid value']);
      const older = await start();
      const holder = (await asDeveloper(`GET ${at('/prod-main/current_job')}`)).body;
      const newer = await start();
      assert.equal((await states(newer)).first, 'waiting_for_resource');
      await move(newer, 'second', 'cancel');
      await move(older, holder.name, 'run', 'success');
      assert.deepEqual((await states(newer)).first, 'pending');
      const left = (await rows(older)).filter(({ status }) => status === 'waiting_for_resource');
      assert.equal(left.length, 1);
      await asDeveloper(`POST ${place.base}/pipelines/${newer}/cancel`);
      await place.asOwner(`POST ${place.base}/pipelines/${newer}/cancel`);
      await settled();
      assert.deepEqual(
        (await rows(older)).filter(({ status }) => status === 'waiting_for_resource'),
        [],
      );
    });

    it('hold later pipelines back for earlier ones that are not ready, where the oldest comes first', async () => {
      const { asDeveloper } = place;
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

    it('let the newest pipeline go first, or the newest that is ready, as their mode says', async () => {
      const { asDeveloper } = place;
      await asDeveloper(`PUT ${at('/ordered')}`, { json: { process_mode: 'newest_first' } });
      const older = await startOn('staged');
      const newer = await startOn('staged');
      await move(older, 'build', 'run', 'success');
      assert.equal((await states(older)).deploy, 'waiting_for_resource');
      // Another mode, and it need not wait for what is not ready.
      await asDeveloper(`PUT ${at('/ordered')}`, { json: { process_mode: 'newest_ready_first' } });
      await settled();
      assert.equal((await states(older)).deploy, 'pending');
      await move(newer, 'build', 'run', 'success');
      assert.equal((await states(newer)).deploy, 'waiting_for_resource');
      // What has the resource goes with its pipeline: the next one gets it.
      assert.equal((await place.asOwner(`DELETE ${place.base}/pipelines/${older}`)).status, 204);
      await settled();
      assert.equal((await states(newer)).deploy, 'pending');
    });
  });
});
