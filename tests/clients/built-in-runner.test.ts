import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { startAgent } from '../../src/runner/agent.ts';
import { forEachEngine } from '../support/engines.ts';
import { rootToken, startTestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { runnerScenario } from './runner-scenario.ts';

const works = '/projects/root%2Fworks';
const withInputs = `
deploy:
  when: manual
  inputs:
    place: {default: staging, options: [staging, production]}
    replicas: {type: number, default: 3}
  script:
    - echo "to \${{ job.inputs.place }} with \${{ job.inputs.replicas }} replicas" > out.txt
    - echo "of the \${{ job.inputs.place == 'production' && 'stable' || 'latest' }} version" >> out.txt
    - xargs < out.txt
  artifacts: {name: 'for-\${{ job.inputs.place }}', paths: [out.txt]}
`;

forEachEngine((engine) => {
  describe('built-in runner', () => {
    it('passes the same scenario as the official runner', async () => {
      const server = await startTestServer(engine, ['--job-poll', '5s']);
      const folder = await mkdtemp(join(tmpdir(), 'hearth-runner-'));
      await runnerScenario({ url: server.url, token: rootToken }, async ({ url, token }) => {
        const lines: string[] = [];
        const log = (line: string) => lines.push(line);
        const agent = await startAgent({ url, token, folder, concurrent: 4, version: '18.9.0', log });
        return { log: () => lines.join('\n'), stop: () => agent.stop() };
      }).finally(() => rm(folder, { recursive: true, force: true }));
    });

    it('inserts the inputs of a job', async () => {
      const server = await startTestServer(engine, ['--job-poll', '5s']);
      const folder = await mkdtemp(join(tmpdir(), 'hearth-runner-'));
      await server.must('POST /projects', { json: { name: 'works' } });
      const actions = [{ action: 'create', file_path: '.gitlab-ci.yml', content: withInputs }];
      await server.must(`POST ${works}/repository/commits`, {
        json: { branch: 'main', commit_message: 'CI', actions },
      });
      const { token } = await server.must('POST /user/runners', { json: { runner_type: 'instance_type' } });
      const agent = await startAgent({
        url: server.url,
        token,
        folder,
        concurrent: 1,
        version: '18.9.0',
        log: () => {},
      });
      try {
        const job = async () => (await server.must(`GET ${works}/jobs`))[0];
        await until(async () => (await job())?.status === 'manual');
        const { id } = await job();
        await server.must(`POST ${works}/jobs/${id}/play`, { json: { job_inputs: { place: 'production' } } });
        await until(async () => (await job()).status === 'success');
        const log = (await server.api(`GET ${works}/jobs/${id}/trace`)).text;
        assert.match(log, /to production with 3 replicas of the stable version/);
        assert.deepEqual((await job()).artifacts_file.filename, 'for-production.zip');
      } finally {
        await agent.stop();
        await rm(folder, { recursive: true, force: true });
      }
    });
  });
});
