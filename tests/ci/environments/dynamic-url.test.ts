import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { projectWithRoles } from '../../support/project-with-roles.ts';
import { RunnerClient } from '../runner-client.ts';

const configuration = `
deploy:
  script: make deploy
  environment: {name: review/app, url: "$ADDRESS/$CI_COMMIT_REF_SLUG"}
  artifacts: {reports: {dotenv: deploy.env}}
`;

forEachEngine((engine) => {
  describe('dynamic environment URL', () => {
    it('is expanded from dotenv variables of the deployment job', async () => {
      const source = new GitClient();
      await source.init();
      await source.commit({ '.gitlab-ci.yml': configuration }, 'root [skip ci]');
      const { server, project, base, asOwner } = await projectWithRoles(engine, 'told', source);
      const drainQueue = () => server.running.services.queue.drain();
      await asOwner(`POST ${base}/pipeline`, { json: { ref: 'main' } });
      await drainQueue();
      const runner = await RunnerClient.create(server, { runner_type: 'project_type', project_id: project.id });
      const job = await runner.take();
      const form = new FormData();
      form.set('file', new Blob([gzipSync('ADDRESS=https://app-17.example.com\n')]), '.env.gz');
      const sent = await server.api(`POST /jobs/${job.id}/artifacts?artifact_type=dotenv&artifact_format=gzip`, {
        token: null,
        headers: { 'job-token': job.token },
        body: form,
      });
      assert.equal(sent.status, 201);
      await runner.report(job, { state: 'success' });
      await drainQueue();
      const [environment] = (await asOwner(`GET ${base}/environments`)).body;
      assert.equal(environment.external_url, 'https://app-17.example.com/main');
    });
  });
});
