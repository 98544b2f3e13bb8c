import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forEachEngine } from '../../support/engines.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { RunnerClient } from '../runner-client.ts';

forEachEngine((engine) => {
  describe('what a group says of the runners of the instance', () => {
    let server: TestServer;
    let owner: Person;
    let group: { id: number };
    let below: { id: number };
    let project: { id: number };

    const settled = () => server.running.services.queue.drain();
    const call = (text: string, json?: object) => server.api(text, { token: owner.token, ...(json && { json }) });
    const say = async (shared_runners_setting: string) => {
      assert.equal((await call(`PUT /groups/${group.id}`, { shared_runners_setting })).status, 200);
      await settled();
    };
    const uses = async (id: number) => (await call(`GET /projects/${id}`)).body.shared_runners_enabled;
    const make = (name: string, more = {}) => call('POST /projects', { name, namespace_id: below.id, ...more });
    const refused = {
      message: { shared_runners_enabled: ['cannot be enabled because parent group does not allow it'] },
    };

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      group = (await call('POST /groups', { name: 'above', path: 'above' })).body;
      below = (await call('POST /groups', { name: 'below', path: 'below', parent_id: group.id })).body;
      project = (await make('first')).body;
    });

    it('takes them from the projects below, and from the jobs that wait', async () => {
      const content = 'one: {script: echo}';
      const file = { branch: 'main', content, commit_message: 'Build it' };
      assert.equal((await call(`POST /projects/${project.id}/repository/files/.gitlab-ci.yml`, file)).status, 201);
      await settled();
      assert.equal(await uses(project.id), true);
      await say('disabled_and_overridable');
      assert.equal(await uses(project.id), false);
      const runner = await RunnerClient.create(server, { runner_type: 'instance_type' });
      assert.equal((await runner.ask()).status, 204);
      const made = await make('second');
      assert.equal(made.body.shared_runners_enabled, false);
      // A project may still say that it wants them.
      assert.equal((await call(`PUT /projects/${project.id}`, { shared_runners_enabled: true })).status, 200);
      assert.equal((await runner.take()).job_info.name, 'one');
    });

    it('can forbid them', async () => {
      await say('disabled_and_unoverridable');
      assert.equal(await uses(project.id), false);
      const asked = await call(`PUT /projects/${project.id}`, { shared_runners_enabled: true });
      assert.deepEqual([asked.status, asked.body], [400, refused]);
      const made = await make('third', { shared_runners_enabled: true });
      assert.deepEqual([made.status, made.body], [400, refused]);
      const own = (await call('POST /projects', { name: 'own' })).body;
      assert.equal(own.shared_runners_enabled, true);
      assert.equal((await call(`PUT /projects/${own.id}/transfer`, { namespace: below.id })).status, 200);
      assert.equal(await uses(own.id), false);
      await say('enabled');
      assert.equal((await call(`PUT /projects/${own.id}`, { shared_runners_enabled: true })).status, 200);
    });
  });
});
