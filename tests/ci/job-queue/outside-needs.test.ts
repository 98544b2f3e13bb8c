import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { addFilledProject } from '../../support/git-project.ts';
import { addMember, addPerson, type Person } from '../../support/scene.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { zipOf } from '../artifacts/zip.ts';
import { RunnerClient } from '../runner-client.ts';

const library = `
build: {script: make, artifacts: {paths: [out/], reports: {dotenv: a.env}}}
`;
const consumer = (owner: string) => `
variables: {LIBRARY: ${owner}/library}
use:
  script: make
  needs: [{project: $LIBRARY, job: build, ref: main, artifacts: true}]
`;
const family = `
stages: [build, below]
build: {stage: build, script: make, artifacts: {paths: [out/]}}
below:
  stage: below
  variables: {PARENT_PIPELINE_ID: $CI_PIPELINE_ID}
  trigger: {include: child.yml}
`;
const child = `
take: {script: make, needs: [{pipeline: $PARENT_PIPELINE_ID, job: build}]}
`;

interface RunningJob {
  readonly id: number;
  readonly token: string;
}

forEachEngine((engine) => {
  describe('needs on other pipelines', () => {
    let server: TestServer;
    let owner: Person;
    let developer: Person;
    let shared: Project;
    let user: Project;
    let parent: Project;
    let runner: RunnerClient;
    let built: RunningJob;

    const drainQueue = () => server.running.services.queue.drain();
    const source = async (files: Record<string, string>) => {
      const client = new GitClient();
      await client.init();
      await client.commit(files, 'root [skip ci]');
      return client;
    };
    const start = async (project: Project, person: Person = owner) => {
      const json = { ref: 'main' };
      const { body } = await server.api(`POST /projects/${project.id}/pipeline`, { token: person.token, json });
      await drainQueue();
      return body.id as number;
    };
    const upload = async (job: RunningJob, bytes: Buffer, query = '', name = 'artifacts.zip') => {
      const form = new FormData();
      form.set('file', new Blob([Uint8Array.from(bytes)]), name);
      const headers = { 'job-token': job.token };
      const answer = await server.api(`POST /jobs/${job.id}/artifacts${query}`, { token: null, headers, body: form });
      assert.equal(answer.status, 201);
    };
    const finish = async (job: RunningJob) => {
      assert.equal((await runner.report(job, { state: 'success' })).status, 200);
      await drainQueue();
    };
    const outcome = async (pipelineId: number) => {
      assert.equal((await runner.ask()).status, 204);
      const job = await server.db.read
        .selectFrom('ci_jobs')
        .selectAll()
        .where('pipeline_id', '=', pipelineId)
        .executeTakeFirstOrThrow();
      return [job.status, job.failure_reason];
    };

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      developer = await addPerson(server, 'developer');
      shared = await addFilledProject(server, owner, 'library', await source({ '.gitlab-ci.yml': library }));
      const files = { '.gitlab-ci.yml': consumer(owner.user.username) };
      user = await addFilledProject(server, owner, 'consumer', await source(files));
      await addMember(server, user, developer, Role.maintainer);
      parent = await addFilledProject(
        server,
        owner,
        'family',
        await source({ '.gitlab-ci.yml': family, 'child.yml': child }),
      );
      await drainQueue();
      runner = await RunnerClient.create(server, { runner_type: 'instance_type' });
    });

    it('fail while the job does not exist or the project does not allow the job token', async () => {
      assert.deepEqual(await outcome(await start(user)), ['failed', 'missing_dependency_failure']);
      await start(shared);
      built = await runner.take();
      await upload(built, await zipOf({ 'out/a.txt': 'hello' }));
      await upload(built, gzipSync('LEVEL=7'), '?artifact_type=dotenv&artifact_format=gzip', 'a.env.gz');
      await finish(built);
      assert.deepEqual(await outcome(await start(user)), ['failed', 'missing_dependency_failure']);
    });

    it('use the latest successful job of another project, with its dotenv variables', async () => {
      const json = { target_project_id: user.id };
      const listed = await server.api(`POST /projects/${shared.id}/job_token_scope/allowlist`, {
        token: owner.token,
        json,
      });
      assert.equal(listed.status, 201);
      await start(user);
      const job = await runner.take();
      assert.deepEqual(
        job.dependencies.map(({ id, name, artifacts_file }: Record<string, unknown>) => [id, name, artifacts_file]),
        [[built.id, 'build', job.dependencies[0].artifacts_file]],
      );
      assert.equal(job.variables.find(({ key }: { key: string }) => key === 'LEVEL')?.value, '7');
      const headers = { 'job-token': job.token };
      const archive = await server.api(`GET /jobs/${built.id}/artifacts`, { token: null, headers });
      assert.equal(archive.status, 200);
      await finish(job);
    });

    it('fail for users without access to the other project', async () => {
      assert.deepEqual(await outcome(await start(user, developer)), ['failed', 'missing_dependency_failure']);
    });

    it('resolve the parent pipeline, but no pipeline outside of the hierarchy', async () => {
      const above = await start(parent);
      const build = await runner.take();
      await upload(build, await zipOf({ 'out/b.txt': 'hello' }));
      await finish(build);
      const take = await runner.take();
      assert.deepEqual([take.job_info.name, take.dependencies[0].id], ['take', build.id]);
      await finish(take);
      const text = `take: {script: make, needs: [{pipeline: "${above}", job: build}]}\n`;
      const stranger = await addFilledProject(server, owner, 'apart', await source({ '.gitlab-ci.yml': text }));
      await drainQueue();
      assert.deepEqual(await outcome(await start(stranger)), ['failed', 'missing_dependency_failure']);
    });

    it('are left out if they are optional and do not exist', async () => {
      const needs = `[{pipeline: "1", job: none, optional: true}]`;
      const text = `take: {script: make, needs: ${needs}}\n`;
      const relaxed = await addFilledProject(server, owner, 'relaxed', await source({ '.gitlab-ci.yml': text }));
      await drainQueue();
      await start(relaxed);
      const take = await runner.take();
      assert.deepEqual([take.job_info.name, take.dependencies], ['take', []]);
      await finish(take);
    });
  });
});
