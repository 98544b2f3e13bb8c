import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient, withCredentials } from '../../support/git-client.ts';
import { addFilledProject } from '../../support/git-project.ts';
import { addMember, addPerson, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { RunnerClient } from '../runner-client.ts';

forEachEngine((engine) => {
  describe('CI/CD job token', () => {
    let server: TestServer;
    let owner: Person;
    let stranger: Person;
    let project: Project;
    let other: Project;
    let open: Project;
    let job: { id: number; token: string; job_info: { pipeline_id: number } };
    let runner: RunnerClient;

    const withJob = (call: string, more = {}) =>
      server.api(call, { token: null, headers: { 'job-token': job.token }, ...more });
    const scope = (of: Project, rest = '') => `/projects/${of.id}/job_token_scope${rest}`;
    const as = (person: Person, json?: object) => ({ token: person.token, ...(json && { json }) });
    const clone = async (path: string) => {
      const client = new GitClient();
      await client.init();
      const url = withCredentials(server.url, path, 'gitlab-ci-token', job.token);
      return client.git('fetch', '-q', url, 'main').then(
        () => true,
        () => false,
      );
    };

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      stranger = await addPerson(server, 'stranger');
      const source = new GitClient();
      await source.init();
      await source.commit({ '.gitlab-ci.yml': 'one: {script: echo, environment: live}', 'a.txt': 'a' }, 'root');
      project = await addFilledProject(server, owner, 'with-token', source);
      other = await addFilledProject(server, owner, 'other', source);
      open = await addFilledProject(server, owner, 'open', source, 'public');
      await server.running.services.queue.drain();
      runner = await RunnerClient.create(server, { runner_type: 'project_type', project_id: project.id }, owner.token);
      job = await runner.take();
    });

    it('identifies its job in each of its three forms', async () => {
      const forms = [
        server.api('GET /job', { token: null, headers: { authorization: `Bearer ${job.token}` } }),
        withJob('GET /job'),
        server.api(`GET /job?job_token=${job.token}`, { token: null }),
      ];
      for (const answer of await Promise.all(forms)) {
        assert.deepEqual([answer.status, answer.body.id, answer.body.status], [200, job.id, 'running']);
      }
      const personal = await server.api('GET /job', as(owner));
      assert.deepEqual([personal.status, personal.body.message], [404, '404 Job Not Found']);
      assert.equal((await server.api('GET /job', { token: null })).status, 401);
      const wrong = await server.api('GET /job', { token: null, headers: { 'job-token': 'glcbt-wrong' } });
      assert.equal(wrong.status, 401);
    });

    it('returns the job details for cluster agents and no agents', async () => {
      const { status, body } = await withJob('GET /job/allowed_agents');
      assert.equal(status, 200);
      assert.deepEqual(body, {
        allowed_agents: [],
        job: { id: job.id },
        pipeline: { id: job.job_info.pipeline_id },
        project: { id: project.id, groups: [] },
        user: {
          id: owner.user.id,
          username: owner.user.username,
          roles_in_project: ['guest', 'planner', 'reporter', 'developer', 'maintainer', 'owner'],
        },
        environment: { tier: 'production', slug: 'live' },
      });
      assert.equal((await server.api('GET /job/allowed_agents', as(owner))).status, 404);
      assert.equal((await server.api('GET /job/allowed_agents', { token: null })).status, 401);
    });

    it('grants only the endpoints for jobs in its own project', async () => {
      assert.equal((await withJob(`GET /projects/${project.id}/releases`)).status, 200);
      const release = { tag_name: 'v1', ref: 'main', description: 'made by a job' };
      const created = await withJob(`POST /projects/${project.id}/releases`, { json: release });
      assert.equal(created.status, 201, created.text);
      assert.equal((await withJob(`GET /projects/${project.id}/repository/branches`)).status, 200);
      for (const path of ['jobs', `jobs/${job.id}`, 'pipelines']) {
        assert.equal((await withJob(`GET /projects/${project.id}/${path}`)).status, 200, path);
      }
      const renamed = await withJob(`PUT /projects/${project.id}/pipelines/${job.job_info.pipeline_id}/metadata`, {
        json: { name: 'Named by its job' },
      });
      assert.deepEqual([renamed.status, renamed.body.name], [200, 'Named by its job']);
      const issue = await server.must(`POST /projects/${project.id}/issues`, as(owner, { title: 'Seen by a job' }));
      for (const path of ['issues', `issues/${issue.iid}`, `issues/${issue.iid}/notes`, 'merge_requests']) {
        assert.equal((await withJob(`GET /projects/${project.id}/${path}`)).status, 200, path);
      }
      const note = await withJob(`POST /projects/${project.id}/issues/${issue.iid}/notes`, { json: { body: 'no' } });
      assert.equal(note.status, 401);
      // Other endpoints treat the token as invalid.
      assert.equal((await withJob(`DELETE /projects/${project.id}`)).status, 401);
      assert.equal((await withJob('GET /user')).status, 401);
      assert.equal(await clone(`${owner.user.username}/with-token`), true);
    });

    it('is accepted by other projects by their allowlist', async () => {
      const reads = async (of: Project) => (await withJob(`GET /projects/${of.id}/releases`)).status;
      assert.deepEqual([await reads(other), await reads(open)], [403, 200]);
      const refused = await withJob(`GET /projects/${other.id}/releases`);
      assert.deepEqual(refused.body, {
        message: `403 Forbidden - Authentication by CI/CD job token not allowed from with-token to project #${other.id}.`,
      });
      // Projects that the job's user cannot read are hidden from the job.
      const hidden = await server.must('POST /projects', { json: { name: `Hidden ${engine}` } });
      const denied = await withJob(`GET /projects/${hidden.id}/releases`);
      assert.deepEqual([denied.status, denied.body], [404, { message: '404 Project Not Found' }]);
      assert.equal(await clone(`${owner.user.username}/other`), false);
      assert.equal(await clone(`${owner.user.username}/open`), true);
      // In public projects it has only public access, even though its user owns the project.
      const release = { tag_name: 'v1', ref: 'main', description: 'x' };
      assert.ok((await withJob(`POST /projects/${open.id}/releases`, { json: release })).status >= 400);

      assert.deepEqual(await server.must(`GET ${scope(other)}`, as(owner)), {
        inbound_enabled: true,
        outbound_enabled: false,
      });
      const added = await server.api(
        `POST ${scope(other, '/allowlist')}`,
        as(owner, { target_project_id: project.id }),
      );
      assert.deepEqual(
        [added.status, added.body],
        [201, { source_project_id: other.id, target_project_id: project.id }],
      );
      const twice = await server.api(
        `POST ${scope(other, '/allowlist')}`,
        as(owner, { target_project_id: project.id }),
      );
      assert.equal(twice.status, 422);
      assert.equal(await reads(other), 200);
      assert.equal(await clone(`${owner.user.username}/other`), true);
      const list = await server.must(`GET ${scope(other, '/allowlist')}`, as(owner));
      assert.deepEqual(
        list.map(({ id }: { id: number }) => id),
        [project.id, other.id].sort((a, b) => a - b),
      );
      assert.equal((await server.api(`DELETE ${scope(other, `/allowlist/${project.id}`)}`, as(owner))).status, 204);
      assert.equal((await server.api(`DELETE ${scope(other, `/allowlist/${project.id}`)}`, as(owner))).status, 404);
      assert.equal(await reads(other), 403);

      assert.equal((await server.api(`PATCH ${scope(other)}`, as(owner, { enabled: false }))).status, 204);
      assert.equal((await server.must(`GET ${scope(other)}`, as(owner))).inbound_enabled, false);
      assert.equal(await reads(other), 200);
      const enforce = (enforce_ci_inbound_job_token_scope_enabled: boolean) =>
        server.must('PUT /application/settings', { json: { enforce_ci_inbound_job_token_scope_enabled } });
      await enforce(true);
      assert.equal((await server.must(`GET ${scope(other)}`, as(owner))).inbound_enabled, true);
      assert.equal(await reads(other), 403);
      assert.equal(await clone(`${owner.user.username}/other`), false);
      assert.equal((await withJob(`GET /projects/${project.id}/releases`)).status, 200);
      await enforce(false);
      assert.equal(await reads(other), 200);
      await server.must(`PATCH ${scope(other)}`, as(owner, { enabled: true }));
      assert.equal(await reads(other), 403);
    });

    it('is accepted through a group in the allowlist', async () => {
      const group = await server.must('POST /groups', as(owner, { name: 'jobs', path: `jobs-${engine}` }));
      const added = await server.api(
        `POST ${scope(other, '/groups_allowlist')}`,
        as(owner, { target_group_id: group.id }),
      );
      assert.deepEqual([added.status, added.body], [201, { source_project_id: other.id, target_group_id: group.id }]);
      const list = await server.must(`GET ${scope(other, '/groups_allowlist')}`, as(owner));
      assert.deepEqual(
        list.map(({ id, name }: { id: number; name: string }) => [id, name]),
        [[group.id, 'jobs']],
      );
      assert.equal((await withJob(`GET /projects/${other.id}/releases`)).status, 403);
      await server.must(`PUT /projects/${project.id}/transfer`, as(owner, { namespace: group.id }));
      assert.equal((await withJob(`GET /projects/${other.id}/releases`)).status, 200);
      assert.equal(
        (await server.api(`DELETE ${scope(other, `/groups_allowlist/${group.id}`)}`, as(owner))).status,
        204,
      );
      assert.equal((await withJob(`GET /projects/${other.id}/releases`)).status, 403);
    });

    it('is granted access by Maintainers only', async () => {
      const developer = await addPerson(server, 'developer');
      await addMember(server, other, developer, Role.developer);
      assert.equal((await server.api(`GET ${scope(other)}`, as(developer))).status, 403);
      assert.equal((await server.api(`GET ${scope(other)}`, as(stranger))).status, 404);
      assert.equal((await server.api(`PATCH ${scope(other)}`, as(developer, { enabled: false }))).status, 403);
      const hidden = await addFilledProject(server, stranger, 'hidden', await emptyRepository());
      const unknown = await server.api(
        `POST ${scope(other, '/allowlist')}`,
        as(owner, { target_project_id: hidden.id }),
      );
      assert.equal(unknown.status, 404);
    });

    it('is revoked when the job ends', async () => {
      const path = `jobs-${engine}/with-token`;
      assert.equal(await clone(path), true);
      await runner.report(job, { state: 'success' });
      assert.equal((await withJob('GET /job')).status, 401);
      assert.equal(await clone(path), false);
    });

    async function emptyRepository(): Promise<GitClient> {
      const client = new GitClient();
      await client.init();
      await client.commit({ a: 'a' }, 'root');
      return client;
    }
  });
});
