import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { sql } from 'kysely';
import type { NewJob } from '../../../src/ci/jobs/public.ts';
import { insertJobs } from '../../../src/ci/jobs/public.ts';
import { forEachEngine } from '../../support/engines.ts';
import { planOf, wholeReads } from '../../support/query-plans.ts';
import { addPerson, addProject, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { RunnerClient } from '../runner-client.ts';

const projects = 20;
const jobsOfEach = 200;
/** More than the threshold at which a list starts from a filter's IDs. */
const jobsOfLast = 1200;

forEachEngine((engine) => {
  describe('job list query plans', () => {
    let server: TestServer;
    let owner: Person;
    let runner: RunnerClient;
    let project: { id: number };
    let pipelineId: number;

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      const at = { created_at: 1, updated_at: 1 };
      for (let n = 0; n < projects; n++) {
        project = await addProject(server, owner, `p${n}`);
        runner = await RunnerClient.create(server, { runner_type: 'instance_type' });
        await server.db.write(async (trx) => {
          const row = { project_id: project.id, iid: 1, sha: 'f'.repeat(40), ref: 'main', source: 'push' };
          const pipeline = await trx
            .insertInto('pipelines')
            .values({ ...row, status: 'success', user_id: owner.user.id, started_at: 1, finished_at: 1, ...at })
            .returning('id')
            .executeTakeFirstOrThrow();
          pipelineId = pipeline.id;
          const count = n === projects - 1 ? jobsOfLast : jobsOfEach;
          const jobs = Array.from({ length: count }, (_, index): NewJob => {
            const place = { project_id: project.id, pipeline_id: pipelineId, ref: 'main', sha: row.sha, ...at };
            const attributes = {
              name: `job ${index}`,
              stage: 'test',
              stage_index: 0,
              options: '{}',
              user_id: owner.user.id,
            };
            return { ...place, ...attributes, status: index % 50 === 0 ? 'failed' : 'success', runner_id: runner.id };
          });
          await insertJobs(trx, jobs);
        });
      }
      await server.db.write((trx) => sql`analyze`.execute(trx));
    });

    it('use indexes for all filters', async () => {
      const calls = [
        `/projects/${project.id}/jobs`,
        `/projects/${project.id}/jobs?scope=failed`,
        `/projects/${project.id}/jobs?scope[]=failed&scope[]=running`,
        `/projects/${project.id}/jobs?pagination=keyset&order_by=id&sort=asc`,
        `/projects/${project.id}/pipelines/${pipelineId}/jobs`,
        `/projects/${project.id}/pipelines/${pipelineId}/jobs?include_retried=true&scope[]=success`,
        `/projects/${project.id}/pipelines/${pipelineId}/bridges`,
        `/runners/${runner.id}/jobs`,
        `/runners/${runner.id}/jobs?status=running`,
        `/runners/${runner.id}/jobs?status=failed&order_by=id&sort=asc`,
        `/runners/${runner.id}/jobs?pagination=keyset`,
        `/runners/${runner.id}/jobs?system_id=s_0123456789ab`,
        `/projects/${project.id}/jobs?ref=main&scope[]=failed`,
      ];
      for (const call of calls) {
        const queries: string[] = [];
        const stop = server.db.onQuery((text) => queries.push(text));
        const answer = await server.api(`GET ${call}`);
        stop();
        assert.equal(answer.status, 200, `${call}: ${answer.text}`);
        for (const text of queries.filter((each) => /^\s*(select|with)/.test(each))) {
          const reads = wholeReads(server.db, await planOf(server.running.services.db, text), 'ci_jobs');
          assert.deepEqual(reads, [], `${call}\n${text}`);
        }
      }
    });

    const skipReason = engine === 'postgres' && 'PostgreSQL chooses between the two by its statistics';
    it('use the status index when filtered by status and ref', { skip: skipReason }, async () => {
      const queries: string[] = [];
      const stop = server.db.onQuery((text) => queries.push(text));
      await server.api(`GET /projects/${project.id}/jobs?ref=main&scope[]=failed`);
      stop();
      const [page] = queries.filter((text) => /ci_jobs/.test(text) && /status/.test(text) && /order by/.test(text));
      assert.ok(page);
      assert.match(await planOf(server.running.services.db, page), /ci_jobs_project_status/);
    });
  });
});
