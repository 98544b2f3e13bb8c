import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Project } from '../../../src/access/tables.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { addFilledProject } from '../../support/git-project.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { zipOf } from '../artifacts/zip.ts';
import { RunnerClient } from '../runner-client.ts';

const configuration = `
stages: [make, run]
generate: {stage: make, script: make, artifacts: {paths: [out/]}}
made: {stage: run, trigger: {include: [{artifact: out/child.yml, job: generate}], strategy: depend}}
missing: {stage: run, allow_failure: true, trigger: {include: [{artifact: out/none.yml, job: generate}]}}
`;

forEachEngine((engine) => {
  describe('dynamic child pipelines', () => {
    let server: TestServer;
    let owner: Person;
    let project: Project;

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      const source = new GitClient();
      await source.init();
      await source.commit({ '.gitlab-ci.yml': configuration }, 'root');
      project = await addFilledProject(server, owner, 'dynamic', source);
      await server.running.services.queue.drain();
    });

    it('use a configuration from the artifacts of a job', async () => {
      const { services } = server.running;
      const runnerOptions = { runner_type: 'project_type', project_id: project.id } as const;
      const runner = await RunnerClient.create(server, runnerOptions, owner.token);
      const job = await runner.take();
      const form = new FormData();
      const bytes = await zipOf({ 'out/child.yml': 'written: {script: echo $CI_PIPELINE_SOURCE}\n' });
      form.set('file', new Blob([Uint8Array.from(bytes)]), 'artifacts.zip');
      const headers = { 'job-token': job.token };
      const sent = await server.api(`POST /jobs/${job.id}/artifacts`, { token: null, headers, body: form });
      assert.equal(sent.status, 201);
      const done = { token: job.token, state: 'success' };
      assert.equal((await server.api(`PUT /jobs/${job.id}`, { token: null, json: done })).status, 200);
      await services.queue.drain();
      const base = `/projects/${project.id}/pipelines`;
      const [pipeline] = (await server.api(`GET ${base}`, { token: owner.token })).body;
      const { body } = await server.api(`GET ${base}/${pipeline.id}/bridges`, { token: owner.token });
      const bridge = (name: string) => body.find((one: { name: string }) => one.name === name);
      assert.equal(bridge('made').status, 'running');
      const child = bridge('made').downstream_pipeline;
      const jobs = await server.api(`GET ${base}/${child.id}/jobs`, { token: owner.token });
      assert.deepEqual(
        jobs.body.map(({ name }: { name: string }) => name),
        ['written'],
      );
      assert.equal(bridge('missing').failure_reason, 'downstream_pipeline_creation_failed');
    });
  });
});
