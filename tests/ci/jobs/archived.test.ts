import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { RunnerClient } from '../runner-client.ts';

const day = 86_400_000;

forEachEngine((engine) => {
  describe('archived jobs', () => {
    let server: TestServer;
    let base: string;
    let ids: { failed: number; manual: number; pipeline: number };

    const set = (after: string | null) =>
      server.api('PUT /application/settings', { json: { archive_builds_in_human_readable: after } });

    before(async () => {
      server = await startTestServer(engine);
      const project = await server.must('POST /projects', { json: { name: 'old' } });
      base = `/projects/${project.id}`;
      const runner = await RunnerClient.create(server, { runner_type: 'project_type', project_id: project.id });
      await server.must(`POST ${base}/repository/files/.gitlab-ci.yml`, {
        json: {
          branch: 'main',
          commit_message: 'CI',
          content: 'failed: {script: make}\nmanual: {script: make, when: manual}',
        },
      });
      await server.running.services.queue.drain();
      await runner.report(await runner.take(), { state: 'failed' });
      const jobs: { id: number; name: string; pipeline: { id: number } }[] = await server.must(`GET ${base}/jobs`);
      const id = (name: string) => jobs.find((job) => job.name === name)?.id ?? 0;
      ids = { failed: id('failed'), manual: id('manual'), pipeline: jobs[0]?.pipeline.id ?? 0 };
      await server.db.write(async (trx) => {
        await trx
          .updateTable('ci_jobs')
          .set({ created_at: Date.now() - 40 * day })
          .execute();
        await trx
          .updateTable('pipelines')
          .set({ created_at: Date.now() - 40 * day })
          .execute();
      });
    });

    const archived = async () => [
      (await server.must(`GET ${base}/jobs/${ids.failed}`)).archived,
      (await server.must(`GET ${base}/pipelines/${ids.pipeline}`)).archived,
    ];

    it('cannot be retried or played after the configured age', async () => {
      for (const [wrong, problem] of [
        ['soon', 'is not a correct duration'],
        ['2 hours', 'must be at least 1 day'],
      ] as const) {
        const refused = await set(wrong);
        assert.deepEqual(
          [refused.status, refused.body],
          [400, { message: { archive_builds_in_human_readable: [problem] } }],
        );
      }
      assert.deepEqual(await archived(), [false, false]);
      await set('30 days');
      assert.deepEqual(await archived(), [true, true]);
      for (const call of [`jobs/${ids.failed}/retry`, `jobs/${ids.manual}/play`, `pipelines/${ids.pipeline}/retry`]) {
        assert.equal((await server.api(`POST ${base}/${call}`)).status, 403, call);
      }
      assert.equal((await server.must(`GET ${base}/jobs?include_retried=true`)).length, 2);
    });

    it('can be retried and played below the configured age', async () => {
      await set('2 months');
      assert.deepEqual(await archived(), [false, false]);
      assert.equal((await server.api(`POST ${base}/jobs/${ids.manual}/play`)).status, 200);
      assert.equal((await server.api(`POST ${base}/pipelines/${ids.pipeline}/retry`)).status, 201);
      await set(null);
    });
  });
});
