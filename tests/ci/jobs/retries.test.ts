import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import { transitionJob } from '../../../src/ci/jobs/public.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { addFilledProject } from '../../support/git-project.ts';
import { addMember, addPerson, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const configuration = `
stages: [build, test, deploy]
build: {stage: build, script: make}
ask: {stage: build, script: echo, when: manual}
test: {stage: test, script: echo}
alone: {stage: test, script: echo, needs: [build]}
deploy: {stage: deploy, script: echo}
release: {stage: deploy, script: echo, when: manual}
later: {stage: deploy, script: echo, when: delayed, start_in: 1 day}
`;

forEachEngine((engine) => {
  describe('retries', () => {
    let server: TestServer;
    let owner: Person;
    let colleague: Person;
    let project: Project;
    let pipeline: number;

    type Job = Readonly<{ id: number; name: string; status: string; user: { username: string } }>;
    const jobs = async () =>
      (await server.must(`GET /projects/${project.id}/pipelines/${pipeline}/jobs`, { token: owner.token })) as Job[];
    const named = async (name: string) => {
      const job = (await jobs()).find((one) => one.name === name);
      assert.ok(job, name);
      return job;
    };
    const statuses = async (...names: string[]) => Promise.all(names.map(async (name) => (await named(name)).status));
    const pipelineStatus = async () =>
      (await server.must(`GET /projects/${project.id}/pipelines/${pipeline}`, { token: owner.token })).status;
    const move = async (name: string, ...events: Parameters<typeof transitionJob>[3][]) => {
      const { id } = await named(name);
      for (const event of events) {
        await server.db.write((trx) => transitionJob(server.running.services, trx, id, event));
      }
      await server.running.services.queue.drain();
    };
    const act = async (name: string, action: string, person = owner) =>
      (await server.must(`POST /projects/${project.id}/jobs/${(await named(name)).id}/${action}`, {
        token: person.token,
      })) as Job;
    const start = async () => {
      const json = { ref: 'main' };
      pipeline = (await server.must(`POST /projects/${project.id}/pipeline`, { token: owner.token, json })).id;
      await server.running.services.queue.drain();
    };

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      colleague = await addPerson(server, 'colleague');
      const source = new GitClient();
      await source.init();
      await source.commit({ '.gitlab-ci.yml': configuration }, 'root [skip ci]');
      project = await addFilledProject(server, owner, 'retries', source, 'private');
      await addMember(server, project, colleague, Role.maintainer);
    });

    it('of a job wait for the jobs before it', async () => {
      await start();
      await move('build', 'run', 'success');
      await move('test', 'run', 'success');
      await move('alone', 'run', 'success');
      await move('deploy', 'run', 'success');
      assert.equal((await act('build', 'retry')).status, 'pending');
      assert.equal((await act('deploy', 'retry')).status, 'created');
      assert.equal((await act('alone', 'retry')).status, 'created');
      await move('build', 'run', 'success');
      assert.deepEqual(await statuses('alone', 'deploy'), ['pending', 'created']);
      await move('alone', 'run', 'success');
      assert.deepEqual(await statuses('deploy'), ['pending']);
    });

    it('of a job are skipped when a job before it failed', async () => {
      await start();
      await move('build', 'run', 'success');
      await move('test', 'run', 'success');
      await move('alone', 'run', 'success');
      await move('deploy', 'run', 'success');
      await act('test', 'retry');
      await move('test', 'run', 'drop');
      assert.equal((await act('deploy', 'retry')).status, 'skipped');
    });

    it('of a manual or delayed job start it', async () => {
      await start();
      await act('ask', 'play');
      await move('ask', 'run', 'drop');
      assert.equal((await act('ask', 'retry')).status, 'pending');
      await move('ask', 'run', 'success');
      await move('build', 'run', 'success');
      await move('test', 'run', 'success');
      await move('alone', 'run', 'success');
      await act('later', 'cancel');
      assert.equal((await act('later', 'retry')).status, 'pending');
      await move('later', 'run', 'success');
      assert.equal((await act('later', 'play')).status, 'pending');
    });

    it('leave a running pipeline running', async () => {
      await start();
      assert.equal(await pipelineStatus(), 'pending');
      await move('build', 'run');
      assert.equal(await pipelineStatus(), 'running');
      await act('build', 'cancel');
      await act('build', 'retry');
      assert.deepEqual([await statuses('build'), await pipelineStatus()], [['pending'], 'running']);
    });

    it('of a pipeline make manual jobs manual and delayed jobs delayed again', async () => {
      await start();
      await act('ask', 'play');
      await move('ask', 'run', 'drop');
      await move('build', 'run', 'success');
      await move('test', 'run', 'success');
      await move('alone', 'run', 'success');
      await server.must(`POST /projects/${project.id}/pipelines/${pipeline}/cancel`, { token: owner.token });
      assert.deepEqual(await statuses('ask', 'deploy', 'release', 'later'), ['failed', ...Array(3).fill('canceled')]);
      await server.must(`POST /projects/${project.id}/pipelines/${pipeline}/retry`, { token: owner.token });
      assert.deepEqual(await statuses('ask', 'deploy', 'release', 'later'), [
        'manual',
        'pending',
        'manual',
        'scheduled',
      ]);
    });

    it('hand over the jobs skipped in the meantime to the user who retries', async () => {
      await start();
      await move('build', 'run', 'drop');
      assert.deepEqual(await statuses('test', 'deploy'), ['skipped', 'skipped']);
      await act('build', 'retry', colleague);
      assert.equal(await pipelineStatus(), 'running');
      assert.deepEqual(await statuses('test', 'deploy'), ['created', 'created']);
      for (const name of ['build', 'test', 'alone', 'deploy']) {
        assert.equal((await named(name)).user.username, colleague.user.username, name);
      }
      assert.equal((await named('ask')).user.username, owner.user.username);
    });
  });
});
