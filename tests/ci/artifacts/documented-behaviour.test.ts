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
import { RunnerClient } from '../runner-client.ts';
import { zipOf } from './zip.ts';

const configuration = `
workflow: {rules: [{when: always}]}
stages: [build, children, manual]
build:
  stage: build
  script: make
  artifacts: {paths: [out/], reports: {junit: a.xml}}
closed: {stage: build, script: make, artifacts: {paths: [out/], access: none}, rules: [{if: $CLOSED}]}
child: {stage: children, trigger: {include: child.yml, strategy: depend}, rules: [{if: $CHILD}]}
optional: {stage: manual, script: make, when: manual, artifacts: {paths: [out/]}}
`;
const child = `
build: {script: make, artifacts: {paths: [out/]}}
below: {script: make, artifacts: {paths: [out/]}}
`;

interface RunningJob {
  readonly id: number;
  readonly token: string;
  readonly job_info: { readonly name: string };
}

/** Statements of the GitLab artifacts documentation that other tests do not cover. */
forEachEngine((engine) => {
  describe('documented behaviour of job artifacts', () => {
    let server: TestServer;
    let owner: Person;
    let developer: Person;
    let guest: Person;
    let stranger: Person;
    let project: Project;
    let runner: RunnerClient;

    const drainQueue = () => server.running.services.queue.drain();
    const get = (path: string, token: string | null = owner.token, headers = {}) =>
      server.api(`GET /projects/${project.id}${path}`, { token, headers });
    const send = (text: string, person: Person | null = owner, json = {}) => {
      const [method, path] = text.split(' ');
      return server.api(`${method} /projects/${project.id}${path}`, { token: person?.token ?? null, json });
    };
    const upload = async (job: RunningJob, bytes: Buffer, query = '') => {
      const form = new FormData();
      form.set('file', new Blob([Uint8Array.from(bytes)]), 'artifacts.zip');
      const headers = { 'job-token': job.token };
      const answer = await server.api(`POST /jobs/${job.id}/artifacts${query}`, { token: null, headers, body: form });
      assert.equal(answer.status, 201, answer.text);
    };
    /** Runs every pending job; each uploads a file that identifies it. */
    const runAll = async (mark: string, state = 'success'): Promise<RunningJob[]> => {
      const taken: RunningJob[] = [];
      await drainQueue();
      for (let answer = await runner.ask(); answer.status === 201; answer = await runner.ask()) {
        const job: RunningJob = answer.body;
        taken.push(job);
        await upload(job, await zipOf({ 'out/a.txt': `${mark} ${job.job_info.name} ${job.id}` }));
        await runner.patch(job, 0, 'log\n');
        assert.equal((await runner.report(job, { state })).status, 200);
        await drainQueue();
      }
      return taken;
    };
    const start = async (ref: string, variables: Record<string, string> = {}) => {
      const list = Object.entries(variables).map(([key, value]) => ({ key, value }));
      const { status, body, text } = await send('POST /pipeline', owner, { ref, variables: list });
      assert.equal(status, 201, text);
      return body.id as number;
    };
    const fileOf = async (ref: string, job: string, more = '') => {
      const { status, text } = await get(`/jobs/artifacts/${ref}/raw/out/a.txt?job=${job}${more}`);
      return status === 200 ? text : status;
    };
    const recent = '&search_recent_successful_pipelines=true';

    before(async () => {
      server = await startTestServer(engine);
      owner = await addPerson(server, 'owner');
      developer = await addPerson(server, 'developer');
      guest = await addPerson(server, 'guest');
      stranger = await addPerson(server, 'stranger');
      const source = new GitClient();
      await source.init();
      await source.commit({ '.gitlab-ci.yml': configuration, 'child.yml': child }, 'root [skip ci]');
      await source.git('tag', 'v1');
      await source.git('checkout', '-q', '-b', 'topic');
      await source.commit({ more: 'text' }, 'more [skip ci]');
      await source.git('checkout', '-q', 'main');
      project = await addFilledProject(server, owner, 'by-the-document', source);
      await addMember(server, project, developer, Role.developer);
      await addMember(server, project, guest, Role.guest);
      runner = await RunnerClient.create(server, { runner_type: 'project_type', project_id: project.id }, owner.token);
    });

    it('prefers a parent pipeline and also searches its children', async () => {
      await start('main', { CHILD: 'yes' });
      const jobs = await runAll('first');
      assert.deepEqual(jobs.map(({ job_info }) => job_info.name).sort(), ['below', 'build', 'build']);
      const parents = jobs[0]?.id;
      for (const more of ['', recent]) {
        assert.equal(await fileOf('main', 'build', more), `first build ${parents}`, more);
        assert.match(String(await fileOf('main', 'below', more)), /^first below /, more);
      }
      // A manual job that was not started does not block the pipeline and has no artifacts.
      assert.equal(await fileOf('main', 'optional'), 404);
    });

    it('resolves the latest successful pipeline by branch or tag, not by commit', async () => {
      await start('main');
      await runAll('broken', 'failed');
      assert.match(String(await fileOf('main', 'build')), /^first/);
      const id = await start('v1');
      await runAll('tagged');
      assert.match(String(await fileOf('v1', 'build')), /^tagged/);
      assert.match(String(await fileOf('main', 'build')), /^first/);
      const { sha } = (await get(`/pipelines/${id}`)).body;
      for (const ref of ['HEAD', sha, sha.slice(0, 8)]) assert.equal(await fileOf(ref, 'build'), 404, ref);
    });

    it('finds artifacts of merge request pipelines by the merge request ref, not by branch', async () => {
      const created = await send('POST /merge_requests', owner, {
        source_branch: 'topic',
        target_branch: 'main',
        title: 'Topic',
      });
      assert.equal(created.status, 201, created.text);
      await runAll('merge request');
      assert.equal(await fileOf('topic', 'build'), 404);
      for (const ref of ['refs/merge-requests/1/head', 'refs%2Fmerge-requests%2F1%2Fhead']) {
        assert.match(String(await fileOf(ref, 'build')), /^merge request/, ref);
        assert.equal((await get(`/jobs/artifacts/${ref}/download?job=build`)).status, 200, ref);
      }
    });

    it('does not let users download artifacts with access: none', async () => {
      await start('main', { CLOSED: 'yes' });
      const closed = (await runAll('closed')).find(({ job_info }) => job_info.name === 'closed');
      for (const path of ['', '/tree', '/out/a.txt']) {
        assert.equal((await get(`/jobs/${closed?.id}/artifacts${path}`)).status, 403, path);
      }
      assert.equal((await get('/jobs/artifacts/main/download?job=closed')).status, 403);
    });

    it('accepts a job token in each of its forms while the job runs', async () => {
      await start('main');
      await drainQueue();
      const job: RunningJob = await runner.take();
      const archive = await zipOf({ 'out/a.txt': 'mine' });
      await upload(job, archive);
      const paths = [
        `/jobs/${job.id}/artifacts`,
        `/jobs/${job.id}/artifacts/tree`,
        `/jobs/${job.id}/artifacts/out/a.txt`,
        '/jobs/artifacts/main/download?job=build',
        '/jobs/artifacts/main/raw/out/a.txt?job=build',
      ];
      for (const path of paths) {
        const separator = path.includes('?') ? '&' : '?';
        const forms = [
          await get(path, null, { authorization: `Bearer ${job.token}` }),
          await get(path, null, { 'job-token': job.token }),
          await get(`${path}${separator}job_token=${job.token}`, null),
        ];
        assert.deepEqual(
          forms.map(({ status }) => status),
          [200, 200, 200],
          path,
        );
        assert.equal((await get(path, null, { 'job-token': 'glcbt-wrong' })).status, 401, path);
        assert.equal((await get(path, null)).status, 404, path);
        assert.equal((await get(path, stranger.token)).status, 404, path);
      }
      await runner.patch(job, 0, 'log\n');
      await runner.report(job, { state: 'success' });
      await drainQueue();
      assert.equal((await get(`/jobs/${job.id}/artifacts?job_token=${job.token}`, null)).status, 401);
      // A job token can read artifacts, but not delete or keep them.
      const headers = { 'job-token': job.token };
      const kept = await server.api(`POST /projects/${project.id}/jobs/${job.id}/artifacts/keep`, {
        token: null,
        headers,
      });
      assert.equal(kept.status, 401);
    });

    it('serves artifacts of a public project to everyone unless its pipelines are private', async () => {
      const [job] = (await get('/jobs?scope=success')).body;
      await send('PUT ', owner, { visibility: 'public' });
      const status = async (token: string | null) => (await get(`/jobs/${job.id}/artifacts`, token)).status;
      assert.deepEqual([await status(null), await status(stranger.token), await status(guest.token)], [200, 200, 200]);
      await send('PUT ', owner, { public_jobs: false });
      const refused = [await status(null), await status(stranger.token), await status(guest.token)];
      assert.deepEqual([refused.every((one) => one >= 401), await status(developer.token)], [true, 200]);
      await send('PUT ', owner, { visibility: 'private', public_jobs: true });
    });

    it('lets Developers keep and Maintainers delete artifacts', async () => {
      const [job] = (await get('/jobs?scope=success')).body;
      const path = `/jobs/${job.id}/artifacts`;
      assert.equal((await send(`POST ${path}/keep`, guest)).status, 403);
      assert.equal((await send(`POST ${path}/keep`, stranger)).status, 404);
      const kept = await send(`POST ${path}/keep`, developer);
      assert.equal(kept.status, 200);
      for (const field of ['id', 'name', 'stage', 'status', 'pipeline', 'artifacts_file', 'download_url', 'source']) {
        assert.ok(field in kept.body, field);
      }
      assert.equal((await send('POST /jobs/999999/artifacts/keep')).status, 404);
      for (const person of [developer, guest]) assert.equal((await send(`DELETE ${path}`, person)).status, 403);
      assert.equal((await send(`DELETE ${path}`, stranger)).status, 404);
      assert.equal((await send(`DELETE ${path}`, null)).status, 401);
      assert.equal((await send('DELETE /artifacts', developer)).status, 403);
      assert.equal((await send('DELETE /jobs/999999/artifacts')).status, 404);
      assert.equal((await send(`DELETE ${path}`)).status, 204);
      // The log is not deleted.
      assert.equal((await get(`/jobs/${job.id}/trace`)).text, 'log\n');
      assert.deepEqual(
        (await get(`/jobs/${job.id}`)).body.artifacts.map(({ file_type }: { file_type: string }) => file_type),
        ['trace'],
      );
      for (const [query, text] of [
        ['', '404 Not Found'],
        ['/tree', '404 Artifacts Not Found'],
      ]) {
        const deleted = await get(`${path}${query}`);
        assert.deepEqual([deleted.status, deleted.body.message], [404, text]);
      }
    });

    it('does not offer reports for download', async () => {
      await start('main');
      await drainQueue();
      const job: RunningJob = await runner.take();
      await upload(job, gzipSync('<testsuites/>'), '?artifact_type=junit&artifact_format=gzip');
      await runner.report(job, { state: 'success' });
      const shown = (await get(`/jobs/${job.id}`)).body;
      assert.deepEqual([shown.artifacts_file, shown.artifacts[0].file_type], [undefined, 'junit']);
      for (const path of ['', '/tree', '/junit.xml.gz']) {
        assert.equal((await get(`/jobs/${job.id}/artifacts${path}`)).status, 404, path);
      }
    });

    it('deletes all artifacts of a project except logs and those of the latest successful pipeline of each ref', async () => {
      await start('main');
      await runAll('last');
      const before = (await get('/jobs?per_page=100')).body;
      const answer = await send('DELETE /artifacts');
      assert.deepEqual([answer.status, answer.body], [202, { message: '202 Accepted' }]);
      await drainQueue();
      const after = (await get('/jobs?per_page=100')).body;
      const logs = (jobs: { artifacts: { file_type: string }[] }[]) =>
        jobs.flatMap(({ artifacts }) => artifacts).filter(({ file_type }) => file_type === 'trace').length;
      assert.equal(logs(after), logs(before));
      const left = after
        .filter((job: { artifacts_file?: object }) => job.artifacts_file)
        .map(({ ref, name }: { ref: string; name: string }) => `${name} of ${ref}`);
      assert.deepEqual(left.sort(), ['build of main', 'build of refs/merge-requests/1/head', 'build of v1']);
      assert.match(String(await fileOf('main', 'build')), /^last/);
    });

    it('keeps the artifacts of all descendants of the latest successful pipeline', async () => {
      const deeper = 'deeper: {trigger: {include: deeper.yml, strategy: depend}}\n';
      const actions = [
        { action: 'update', file_path: 'child.yml', content: `${child}${deeper}` },
        { action: 'create', file_path: 'deeper.yml', content: 'deepest: {script: make, artifacts: {paths: [out/]}}' },
      ];
      const commit = { branch: 'family', start_branch: 'main', commit_message: 'family [skip ci]', actions };
      assert.equal((await send('POST /repository/commits', owner, commit)).status, 201);
      await start('family', { CHILD: 'yes' });
      await runAll('family');
      await start('family');
      await runAll('broken', 'failed');
      assert.equal((await send('DELETE /artifacts')).status, 202);
      await drainQueue();
      for (const job of ['build', 'below', 'deepest']) {
        assert.match(String(await fileOf('family', job)), new RegExp(`^family ${job} `));
      }
    });

    it('keeps the artifacts of a branch and of a tag with the same name', async () => {
      const branch = await send('POST /repository/branches', owner, { branch: 'v1', ref: 'main' });
      assert.equal(branch.status, 201);
      const ofTag = await start('refs/tags/v1');
      await runAll('tag');
      const ofBranch = await start('refs/heads/v1');
      await runAll('branch');
      assert.equal((await send('DELETE /artifacts')).status, 202);
      await drainQueue();
      for (const pipeline of [ofTag, ofBranch]) {
        const [job] = (await get(`/pipelines/${pipeline}/jobs?scope=success`)).body;
        assert.equal(job.artifacts_file?.filename, 'artifacts.zip');
      }
    });
  });
});
