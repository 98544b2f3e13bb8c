import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openMigrated } from '../../../src/open-services.ts';
import { insertJob } from '../../../src/platform/queue/enqueue.ts';
import { atOnce } from '../../support/at-once.ts';
import { forEachEngine } from '../../support/engines.ts';
import { ApiClient } from '../../support/server.ts';
import { ServerPlace } from '../../support/server-process.ts';
import { until } from '../../support/until.ts';
import { info } from '../runner-client.ts';

const jobCount = 40;
const runnerCount = 12;
const scheduleCount = 8;

forEachEngine((engine) => {
  it('two server processes on one database assign each job to one runner and start each schedule once', async () => {
    const place = await ServerPlace.make(engine);
    // Sequentially: the first creates the database.
    const processes = [await place.serve(), await place.serve()];
    const servers = processes.map(({ line }) => new ApiClient(line));
    const [first] = servers as [ApiClient, ...ApiClient[]];
    const on = (index: number) => servers[index % servers.length] ?? first;
    const { id } = await first.must('POST /projects', { json: { name: 'shared', initialize_with_readme: true } });
    const jobs = Array.from(
      { length: jobCount },
      (_, index) => `job${index}: {script: x, rules: [{if: $CI_PIPELINE_SOURCE != "schedule"}]}`,
    );
    const content = [...jobs, 'clock: {script: x, rules: [{if: $CI_PIPELINE_SOURCE == "schedule"}]}'].join('\n');
    const file = { branch: 'main', content, commit_message: 'Configure it' };
    await first.must(`POST /projects/${id}/repository/files/.gitlab-ci.yml`, { json: file });
    const pending = async () =>
      (await first.must(`GET /projects/${id}/jobs?scope=pending&per_page=100`)) as { id: number }[];
    await until(async () => (await pending()).length === jobCount);

    const runner = await first.must('POST /user/runners', { json: { runner_type: 'instance_type' } });
    const taken = await atOnce(runnerCount, async (index) => {
      const got: { id: number; token: string }[] = [];
      const request = { token: runner.token, system_id: `s_${index}`, info };
      // A runner that loses a race gets a conflict and retries.
      for (let turn = index; ; turn += 1) {
        const answer = await on(turn).api('POST /jobs/request', { token: null, json: request });
        if (answer.status === 204) return got;
        assert.ok(answer.status === 201 || answer.status === 409, answer.text);
        if (answer.status === 201) got.push(answer.body);
      }
    });
    const assigned = taken.flat();
    assert.equal(assigned.length, jobCount);
    assert.equal(new Set(assigned.map((job) => job.id)).size, jobCount);
    // Each end is reported to both servers: the second finds the job completed.
    const ends = await Promise.all(
      assigned.flatMap(({ id: job, token }) =>
        servers.map((server) => server.api(`PUT /jobs/${job}`, { token: null, json: { token, state: 'success' } })),
      ),
    );
    const count = (status: number) => ends.filter((answer) => answer.status === status).length;
    assert.deepEqual([count(200), count(403)], [jobCount, jobCount]);

    for (let index = 0; index < scheduleCount; index += 1) {
      const json = { description: `${index}`, ref: 'refs/heads/main', cron: '0 0 1 1 *' };
      await first.must(`POST /projects/${id}/pipeline_schedules`, { json });
    }
    const { db } = await openMigrated(place.config());
    await db.write(async (trx) => {
      await trx.updateTable('pipeline_schedules').set({ next_run_at: 1 }).execute();
      const now = Date.now();
      for (let times = 0; times < 6; times += 1) {
        await insertJob(trx, 'recurring.schedules.start-due', null, { maxAttempts: 1, now });
      }
    });
    const waiting = async () => {
      const rows = await db.read
        .selectFrom('jobs')
        .select('id')
        .where('kind', 'in', ['recurring.schedules.start-due', 'ci.run-schedule'])
        .where('run_at', '<=', Date.now())
        .execute();
      return rows.length;
    };
    await until(async () => (await waiting()) === 0);
    const started = await first.must(`GET /projects/${id}/pipelines?source=schedule&per_page=100`);
    assert.equal(started.length, scheduleCount);
    await db.close();
    for (const { child, ended } of processes) {
      child.kill('SIGKILL');
      await ended;
    }
  });
});
