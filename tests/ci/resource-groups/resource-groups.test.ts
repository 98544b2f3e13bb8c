import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { transitionJob } from '../../../src/ci/jobs/public.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import type { Answer } from '../../support/server.ts';
import { type StaffedProject, staffedProject } from '../../support/staffed-project.ts';

const configuration = `
first: {script: make, resource_group: "prod-$CI_COMMIT_REF_NAME"}
second: {script: make, resource_group: prod-main}
other: {script: make}
`;

forEachEngine((engine) => {
  describe('resource groups', () => {
    let place: StaffedProject;
    const says = (answer: Answer) => [answer.status, answer.body.message ?? answer.body.error];
    const at = (rest = '') => `${place.base}/resource_groups${rest}`;
    const settled = () => place.server.running.services.queue.drain();
    const start = async () => {
      const { body } = await place.asOwner(`POST ${place.base}/pipeline`, { json: { ref: 'main' } });
      await settled();
      return body.id as number;
    };
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
      place = await staffedProject(engine, 'guarded', source);
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
  });
});
