import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { addFilledProject } from '../../support/git-project.ts';
import { addMember, addPerson, type Person } from '../../support/scene.ts';
import { type Answer, startTestServer, type TestServer } from '../../support/server.ts';
import { RunnerClient } from '../runner-client.ts';

const configuration = `
stages: [one, two]
first: {stage: one, script: echo}
second: {stage: two, script: echo}
`;

forEachEngine((engine) => {
  describe('running jobs whose surroundings change', () => {
    let server: TestServer;
    let owner: Person;
    let source: GitClient;
    let count = 0;

    const settled = () => server.running.services.queue.drain();
    const says = ({ status, body }: Answer) => [status, body.message ?? ''];
    /** Creates a project with a pipeline whose first job is taken by a project runner. */
    const begun = async (person = owner) => {
      count += 1;
      const project = await addFilledProject(server, owner, `shaken-${count}`, source);
      if (person !== owner) await addMember(server, project, person, Role.maintainer);
      const call = `POST /projects/${project.id}/pipeline`;
      const pipeline = await server.must(call, { token: person.token, json: { ref: 'main' } });
      await settled();
      const wanted = { runner_type: 'project_type', project_id: project.id };
      const runner = await RunnerClient.create(server, wanted, owner.token);
      return { project, pipeline, runner, job: await runner.take() };
    };
    const states = async (project: Project, pipeline: { id: number }) => {
      const jobs = await server.must(`GET /projects/${project.id}/pipelines/${pipeline.id}/jobs`);
      return jobs.map((job: Record<string, string>) => [job.name, job.status, job.failure_reason ?? null]).toReversed();
    };

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      source = new GitClient();
      await source.init();
      await source.commit({ '.gitlab-ci.yml': configuration }, 'root [skip ci]');
    });

    it('continue after their project is transferred', async () => {
      const { project, pipeline, runner, job } = await begun();
      const [from, to] = await Promise.all(
        ['from', 'to'].map((path) => server.must('POST /groups', { token: owner.token, json: { name: path, path } })),
      );
      const ofGroup = (group: { id: number }) =>
        RunnerClient.create(server, { runner_type: 'group_type', group_id: group.id }, owner.token);
      const [former, later] = [await ofGroup(from), await ofGroup(to)];
      const move = async (group: { id: number }) => {
        await server.must(`PUT /projects/${project.id}/transfer`, {
          token: owner.token,
          json: { namespace: group.id },
        });
        await settled();
      };
      await move(from);
      assert.equal((await runner.patch(job, 0, 'still here\n')).status, 202);
      assert.equal((await runner.report(job, { state: 'success' })).status, 200);
      await settled();
      await move(to);
      // The next job is pending, and available to the runners of the new parent group only.
      assert.equal((await former.ask()).status, 204);
      const next = await later.take();
      assert.equal(next.job_info.name, 'second');
      assert.match(next.git_info.repo_url, new RegExp(`/to/${project.path}\\.git$`));
      assert.equal((await later.report(next, { state: 'success' })).status, 200);
      await settled();
      assert.equal((await server.must(`GET /projects/${project.id}/pipelines/${pipeline.id}`)).status, 'success');
    });

    it('can finish in an archived project, where no further job starts', async () => {
      const { project, pipeline, runner, job } = await begun();
      await server.must(`POST /projects/${project.id}/archive`, { token: owner.token });
      assert.equal((await runner.report(job, { state: 'success' })).status, 200);
      await settled();
      assert.equal((await runner.ask()).status, 204);
      await settled();
      assert.deepEqual(await states(project, pipeline), [
        ['first', 'success', null],
        ['second', 'failed', 'archived_failure'],
      ]);
    });

    it('are dropped when their project is deleted', async () => {
      const { project, runner, job } = await begun();
      await server.must(`DELETE /projects/${project.id}`, { token: owner.token });
      await settled();
      assert.deepEqual(says(await runner.patch(job, 0, 'x')), [403, '403 Forbidden - Project has been deleted!']);
      assert.deepEqual(says(await runner.report(job, { state: 'success' })), [
        403,
        '403 Forbidden - Project has been deleted!',
      ]);
      const { path_with_namespace: path } = await server.must(`GET /projects/${project.id}`);
      await server.must(`DELETE /projects/${project.id}?permanently_remove=true&full_path=${path}`);
      await settled();
      assert.equal((await server.api(`GET /projects/${project.id}`)).status, 404);
      assert.deepEqual(says(await runner.report(job, { state: 'success' })), [403, '403 Forbidden']);
    });

    it('are dropped when the account of their user is deleted', async () => {
      const helper = await addPerson(server, 'helper');
      const { project, pipeline, runner, job } = await begun(helper);
      await server.must(`DELETE /users/${helper.user.id}`);
      await settled();
      assert.deepEqual((await states(project, pipeline))[0], ['first', 'failed', 'user_blocked']);
      const report = await runner.report(job, { state: 'success' });
      assert.deepEqual([report.status, report.headers.get('job-status')], [403, 'failed']);
      const { status } = await server.api('GET /job', { token: null, headers: { 'job-token': job.token } });
      assert.equal(status, 401);
    });

    it('can be finished by a deleted runner', async () => {
      const { project, pipeline, runner, job } = await begun();
      await server.must(`DELETE /runners/${runner.id}`, { token: owner.token });
      assert.equal((await runner.ask()).status, 403);
      assert.equal((await runner.patch(job, 0, 'the end\n')).status, 202);
      assert.equal((await runner.report(job, { state: 'success' })).status, 200);
      await settled();
      assert.deepEqual((await states(project, pipeline))[0], ['first', 'success', null]);
      const shown = await server.must(`GET /projects/${project.id}/jobs/${job.id}`);
      assert.deepEqual([shown.runner, shown.runner_manager], [null, null]);
    });
  });
});
