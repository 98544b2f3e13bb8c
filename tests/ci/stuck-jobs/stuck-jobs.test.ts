import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Project } from '../../../src/access/tables.ts';
import { dropOverdueJobs, dropStuckJobs, retryUnreportedJobs } from '../../../src/ci/stuck-jobs/service.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { addFilledProject } from '../../support/git-project.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { RunnerClient } from '../runner-client.ts';

const minute = 60_000;
const hour = 60 * minute;
const configuration = `
a: {script: echo, timeout: 30 minutes}
b: {script: echo}
c: {script: echo, tags: [nobody-has-this]}
d: {script: echo, when: delayed, start_in: 1 minute}
e: {script: echo, tags: [later]}
`;

forEachEngine((engine) => {
  describe('stuck jobs', () => {
    let server: TestServer;
    let owner: Person;
    let project: Project;
    let runner: RunnerClient;
    const state = async () => {
      const jobs = await server.must(`GET /projects/${project.id}/jobs`, { token: owner.token });
      return Object.fromEntries(
        jobs.map(({ name, status, failure_reason }: Record<string, string>) => [
          name,
          [status, failure_reason].join(' ').trim(),
        ]),
      );
    };

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      const source = new GitClient();
      await source.init();
      await source.commit({ '.gitlab-ci.yml': configuration }, 'root');
      project = await addFilledProject(server, owner, 'stuck', source);
      await server.running.services.queue.drain();
      const json = { runner_type: 'project_type', project_id: project.id, tag_list: ['later'] };
      runner = await RunnerClient.create(server, json, owner.token);
    });

    it('are kept within their time limits', async () => {
      await runner.take();
      await runner.take();
      const { services } = server.running;
      const soon = Date.now() + 15 * minute;
      await dropOverdueJobs(services, soon);
      await dropStuckJobs(services, soon);
      assert.deepEqual(await state(), { a: 'running', b: 'running', c: 'pending', d: 'scheduled', e: 'pending' });
    });

    it('are dropped when they time out, when their runner is silent and when no runner takes them', async () => {
      const { services } = server.running;
      await dropOverdueJobs(services, Date.now() + 46 * minute);
      assert.equal((await state()).a, 'failed job_execution_timeout');
      assert.equal((await state()).b, 'running');
      await dropStuckJobs(services, Date.now() + 62 * minute);
      assert.deepEqual(await state(), {
        a: 'failed job_execution_timeout',
        b: 'failed stuck_or_timeout_failure',
        c: 'failed stuck_or_timeout_failure',
        // Its runner is online and can still take the job.
        d: 'failed stale_schedule',
        e: 'pending',
      });
      await dropStuckJobs(services, Date.now() + 25 * hour);
      assert.equal((await state()).e, 'failed stuck_or_timeout_failure');
    });

    it('are retried if their runner never reported', async () => {
      const { services } = server.running;
      const call = `POST /projects/${project.id}/pipeline`;
      const { id } = await server.must(call, { token: owner.token, json: { ref: 'main' } });
      await services.queue.drain();
      const heard = await runner.take();
      await runner.take();
      assert.equal((await runner.report(heard, { state: 'running' })).status, 200);
      const attempts = async () => {
        const query = server.db.read.selectFrom('ci_jobs').select(['name', 'status', 'failure_reason']);
        const rows = await query.where('pipeline_id', '=', id).where('name', 'in', ['a', 'b']).orderBy('id').execute();
        return rows.map(({ name, status, failure_reason }) => [name, status, failure_reason].join(' ').trim());
      };
      await retryUnreportedJobs(services, Date.now());
      assert.deepEqual(await attempts(), ['a running', 'b running']);
      await retryUnreportedJobs(services, Date.now() + 6 * minute);
      await services.queue.drain();
      // The unreported attempt failed with a server failure, not a job failure.
      assert.deepEqual(await attempts(), ['a running', 'b failed scheduler_failure', 'b pending']);
    });

    it('are dropped when their user is blocked, except manual jobs', async () => {
      const source = new GitClient();
      await source.init();
      const text = `
stages: [one, two]
run: {stage: one, script: echo, retry: 2, tags: [mine]}
wait: {stage: one, script: echo, tags: [nobody-has-this]}
later: {stage: two, script: echo}
hand: {stage: one, script: echo, when: manual}
`;
      await source.commit({ '.gitlab-ci.yml': text }, 'root');
      const other = await addPerson(server, 'other');
      const theirs = await addFilledProject(server, other, 'theirs', source);
      await server.running.services.queue.drain();
      const json = { runner_type: 'project_type', project_id: theirs.id, tag_list: ['mine'] };
      const machine = await RunnerClient.create(server, json, other.token);
      const job = await machine.take();
      await server.must(`POST /users/${other.user.id}/block`);
      await server.running.services.queue.drain();
      const jobs = await server.must(`GET /projects/${theirs.id}/jobs`);
      const ended = Object.fromEntries(
        jobs.map(({ name, status, failure_reason }: Record<string, string>) => [name, [status, failure_reason]]),
      );
      const { later, ...others } = ended;
      assert.deepEqual(others, {
        run: ['failed', 'user_blocked'],
        wait: ['failed', 'user_blocked'],
        hand: ['manual', undefined],
      });
      // The delayed job may be processed first; it is then skipped because of the earlier failure.
      assert.ok(['failed', 'skipped'].includes(later[0]), `${later}`);
      const report = await machine.report(job, { state: 'success' });
      assert.deepEqual([report.status, report.headers.get('job-status')], [403, 'failed']);
    });
  });
});
