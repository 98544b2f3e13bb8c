import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';
import { info, RunnerClient } from '../runner-client.ts';

const configuration = `
default: {before_script: [echo before], after_script: [echo after]}
steps: {run: [{name: greet, step: host/steps/greet@1, inputs: {to: you}}, {name: tell, script: echo told}]}
`;

forEachEngine((engine) => {
  describe('jobs with steps instead of scripts', () => {
    let fixture: ProjectWithRoles;
    let runner: RunnerClient;
    const start = async () => {
      const { body } = await fixture.asOwner(`POST ${fixture.base}/pipeline`, { json: { ref: 'main' } });
      await fixture.server.running.services.queue.drain();
      return body.id as number;
    };

    before(async () => {
      const source = new GitClient();
      await source.init();
      await source.commit({ '.gitlab-ci.yml': configuration }, 'root [skip ci]');
      fixture = await projectWithRoles(engine, 'stepped', source);
      await fixture.server.running.services.queue.drain();
      const json = { runner_type: 'project_type', project_id: fixture.project.id };
      runner = await RunnerClient.create(fixture.server, json);
    });

    it('are handed to runners that execute steps', async () => {
      await start();
      const features = { ...info.features, native_steps_integration: true };
      const { status, body } = await runner.ask({ info: { ...info, features } });
      assert.equal(status, 201);
      assert.equal(body.steps, undefined);
      assert.deepEqual(JSON.parse(body.run), [
        { name: 'greet', step: 'host/steps/greet@1', inputs: { to: 'you' } },
        { name: 'tell', script: 'echo told' },
      ]);
      assert.equal((await runner.report(body, { state: 'success' })).status, 200);
    });

    it('fail on other runners, which would do nothing and succeed', async () => {
      const pipeline = await start();
      assert.equal((await runner.ask()).status, 204);
      const [job] = (await fixture.asOwner(`GET ${fixture.base}/pipelines/${pipeline}/jobs`)).body;
      assert.deepEqual([job.status, job.failure_reason], ['failed', 'runner_unsupported']);
    });
  });
});
