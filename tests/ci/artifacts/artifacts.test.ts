import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { addFilledProject } from '../../support/git-project.ts';
import { addMember, addPerson, type Person } from '../../support/scene.ts';
import { type Answer, startTestServer, type TestServer } from '../../support/server.ts';
import { RunnerClient } from '../runner-client.ts';
import { zipOf } from './zip.ts';

const configuration = `
stages: [build, test]
build: {stage: build, script: make, artifacts: {paths: [out/], reports: {dotenv: a.env, junit: a.xml}}}
secret: {stage: build, script: make, artifacts: {paths: [out/], access: developer}}
test: {stage: test, script: make}
`;
const junit = `<testsuites><testsuite name="s" time="3">
<testcase name="ok" classname="c" time="1"/>
<testcase name="bad" classname="c" time="2" file="a.js"><failure message="no">trace &amp; more</failure></testcase>
<testcase name="later"><skipped/></testcase></testsuite></testsuites>`;

interface RunningJob {
  readonly id: number;
  readonly token: string;
}

forEachEngine((engine) => {
  describe('job artifacts', () => {
    let server: TestServer;
    let owner: Person;
    let reporter: Person;
    let stranger: Person;
    let project: Project;
    let runner: RunnerClient;
    let build: RunningJob;
    let secret: RunningJob;
    let archive: Buffer;

    const drainQueue = () => server.running.services.queue.drain();
    const get = (path: string, person: Person | null = owner, more = {}) =>
      server.api(`GET /projects/${project.id}${path}`, { token: person?.token ?? null, ...more });
    const statusAndMessage = ({ status, body }: Answer) => [status, body.message ?? body.error ?? body];
    const upload = (job: RunningJob, bytes: Buffer, query = '', name = 'artifacts.zip', fields: object = {}) => {
      const form = new FormData();
      for (const [key, value] of Object.entries(fields)) form.set(key, value);
      form.set('file', new Blob([Uint8Array.from(bytes)]), name);
      const headers = { 'job-token': job.token };
      return server.api(`POST /jobs/${job.id}/artifacts${query}`, { token: null, headers, body: form });
    };
    const bytesAt = async (path: string) => {
      const url = `${server.url}/api/v4/projects/${project.id}${path}`;
      const response = await fetch(url, { headers: { 'private-token': owner.token } });
      return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
    };

    before(async () => {
      server = await startTestServer(engine, ['--max-artifact', '256KiB']);
      owner = await addPerson(server, 'owner');
      reporter = await addPerson(server, 'reporter');
      stranger = await addPerson(server, 'stranger');
      const source = new GitClient();
      await source.init();
      await source.commit({ '.gitlab-ci.yml': configuration }, 'root');
      project = await addFilledProject(server, owner, 'with-artifacts', source);
      await addMember(server, project, reporter, Role.reporter);
      await drainQueue();
      runner = await RunnerClient.create(server, { runner_type: 'project_type', project_id: project.id }, owner.token);
      archive = await zipOf({
        'out/a.txt': 'hello',
        'out/deep/b.bin': Buffer.alloc(100_000, 7),
        'out/ü.html': '<b>x</b>',
      });
      build = await runner.take();
      secret = await runner.take();
    });

    it('are accepted only with the token of their own job', async () => {
      const refused = [403, '403 Forbidden'];
      assert.deepEqual(statusAndMessage(await upload({ id: build.id, token: secret.token }, archive)), refused);
      assert.deepEqual(statusAndMessage(await upload({ id: build.id, token: 'glcbt-wrong' }, archive)), refused);
      assert.deepEqual(statusAndMessage(await server.api(`POST /jobs/${build.id}/artifacts`, { json: {} })), refused);
      const taken = await upload(build, archive, '?artifact_type=archive&artifact_format=zip&expire_in=1+week');
      assert.deepEqual([taken.status, taken.text], [201, '']);
      // A retry after a lost response.
      assert.equal((await upload(build, archive)).status, 201);
      const other = await upload(build, await zipOf({ x: 'x' }));
      assert.deepEqual(statusAndMessage(other), [400, 'another artifact of the same type already exists']);
      const shown = await get(`/jobs/${build.id}`);
      assert.deepEqual(shown.body.artifacts_file, { filename: 'artifacts.zip', size: archive.length });
      assert.deepEqual(
        shown.body.artifacts.map(({ file_type, filename, file_format }: Record<string, string>) => [
          file_type,
          filename,
          file_format,
        ]),
        [
          ['archive', 'artifacts.zip', 'zip'],
          ['metadata', 'metadata.gz', 'gzip'],
        ],
      );
      const week = Date.parse(shown.body.artifacts_expire_at) - Date.now();
      assert.ok(week > 6.9 * 86_400_000 && week <= 7 * 86_400_000);
      assert.equal((await upload(secret, archive)).status, 201);
    });

    it('are rejected when too large, of the wrong format or malformed', async () => {
      const job = secret;
      const large = await upload(job, Buffer.alloc(300 * 1024), '?artifact_type=junit&artifact_format=gzip');
      assert.equal(large.status, 413);
      assert.equal((await upload(job, archive, '?artifact_type=junit&artifact_format=zip')).status, 400);
      assert.equal((await upload(job, archive, '?artifact_type=odd')).status, 400);
      assert.equal((await upload(job, Buffer.from('A B'), '?artifact_type=dotenv&artifact_format=gzip')).status, 400);
      const bad = await upload(job, gzipSync('no equals'), '?artifact_type=dotenv&artifact_format=gzip');
      assert.deepEqual(statusAndMessage(bad), [400, 'Invalid Format']);
      const described = (fields: object, bytes = archive) => upload(job, bytes, '', 'artifacts.zip', fields);
      const report = { artifact_type: 'junit', artifact_format: 'gzip' };
      assert.equal((await described(report, Buffer.alloc(300 * 1024))).status, 413);
      const wrong = [400, '400 Bad request - Invalid file format with specified file type'];
      assert.deepEqual(statusAndMessage(await described({ artifact_type: 'junit' })), wrong);
      const odd = [400, 'artifact_type does not have a valid value'];
      assert.deepEqual(statusAndMessage(await described({ artifact_type: 'odd' })), odd);
      const files = await server.db.read
        .selectFrom('job_artifacts')
        .select('file_type')
        .where('job_id', '=', job.id)
        .execute();
      assert.deepEqual(files.map(({ file_type }) => file_type).sort(), ['archive', 'metadata']);
      const headers = { 'job-token': job.token };
      const ask = (query: string) =>
        server.api(`POST /jobs/${job.id}/artifacts/authorize${query}`, { token: null, headers });
      assert.equal((await ask('')).status, 200);
      assert.equal((await ask('?filesize=9999999')).status, 413);
    });

    it('are downloaded as an archive or as single files', async () => {
      const whole = await bytesAt(`/jobs/${build.id}/artifacts`);
      assert.equal(whole.status, 200);
      assert.equal(whole.headers.get('content-type'), 'application/octet-stream');
      assert.match(whole.headers.get('content-disposition') ?? '', /^attachment; filename="artifacts.zip"/);
      assert.ok(whole.bytes.equals(archive));
      const one = await bytesAt(`/jobs/${build.id}/artifacts/out/a.txt`);
      assert.deepEqual([one.bytes.toString(), one.headers.get('content-type')], ['hello', 'text/plain; charset=utf-8']);
      assert.equal((await bytesAt(`/jobs/${build.id}/artifacts/out/deep/b.bin`)).bytes.length, 100_000);
      const page = await bytesAt(`/jobs/${build.id}/artifacts/out/%C3%BC.html`);
      assert.match(page.headers.get('content-disposition') ?? '', /^attachment/);
      for (const path of ['out/none', 'out', 'out/', '../etc/passwd', 'out/deep']) {
        assert.equal((await get(`/jobs/${build.id}/artifacts/${encodeURIComponent(path)}`)).status, 404, path);
      }
      assert.equal((await get(`/jobs/${build.id}/artifacts/out%00a`)).status, 400);
      assert.equal((await get('/jobs/999999/artifacts')).status, 404);
    });

    it('are listed as a tree', async () => {
      const tree = (query = '') => get(`/jobs/${build.id}/artifacts/tree${query}`);
      assert.deepEqual((await tree()).body, [{ name: 'out', path: 'out/', type: 'directory', mode: '040755' }]);
      const inside = await tree('?path=out');
      assert.deepEqual(
        inside.body.map(({ path }: { path: string }) => path),
        ['out/deep/', 'out/a.txt', 'out/ü.html'],
      );
      assert.equal(inside.headers.get('x-total'), '3');
      assert.deepEqual(inside.body[1], { name: 'a.txt', path: 'out/a.txt', type: 'file', size: 5, mode: '100644' });
      assert.equal((await tree('?recursive=true')).body.length, 5);
      const second = await tree('?recursive=true&per_page=2&page=2');
      assert.deepEqual(
        second.body.map(({ path }: { path: string }) => path),
        ['out/deep/', 'out/deep/b.bin'],
      );
      assert.deepEqual(statusAndMessage(await tree('?path=none')), [404, '404 Path Not Found']);
    });

    it('are readable by users with access to jobs, subject to artifacts:access', async () => {
      const status = async (job: RunningJob, person: Person | null) =>
        (await get(`/jobs/${job.id}/artifacts`, person)).status;
      assert.deepEqual(
        [await status(build, reporter), await status(build, stranger), await status(build, null)],
        [200, 404, 404],
      );
      assert.deepEqual([await status(secret, reporter), await status(secret, owner)], [403, 200]);
      const byJob = await get(`/jobs/${build.id}/artifacts/out/a.txt`, null, {
        headers: { 'job-token': secret.token },
      });
      assert.deepEqual([byJob.status, byJob.text], [200, 'hello']);
      const wrong = await get(`/jobs/${build.id}/artifacts?job_token=glcbt-x`, null);
      assert.equal(wrong.status, 401);
    });

    it('are passed to later jobs together with dotenv variables', async () => {
      const query = '?artifact_type=dotenv&artifact_format=gzip';
      assert.equal((await upload(build, gzipSync('VERSION=1.2\nNAME=x'), query, '.env.gz')).status, 201);
      assert.equal(
        (await upload(build, gzipSync(junit), '', 'junit.xml.gz', { artifact_type: 'junit', artifact_format: 'gzip' }))
          .status,
        201,
      );
      for (const job of [build, secret]) assert.equal((await runner.report(job, { state: 'success' })).status, 200);
      await drainQueue();
      const test = await runner.take();
      assert.deepEqual(
        test.dependencies.map((one: Record<string, unknown>) => [one.id, one.name, one.token, one.artifacts_file]),
        [
          [build.id, 'build', test.token, { filename: 'artifacts.zip', size: archive.length }],
          [secret.id, 'secret', test.token, { filename: 'artifacts.zip', size: archive.length }],
        ],
      );
      assert.equal(test.variables.find(({ key }: { key: string }) => key === 'VERSION').value, '1.2');
      const fetched = await fetch(`${server.url}/api/v4/jobs/${build.id}/artifacts?direct_download=true`, {
        headers: { 'job-token': test.token },
      });
      assert.equal(fetched.status, 200);
      assert.ok(Buffer.from(await fetched.arrayBuffer()).equals(archive));
      const none = await server.api(`GET /jobs/${test.id}/artifacts`, {
        token: null,
        headers: { 'job-token': test.token },
      });
      assert.equal(none.status, 404);
      assert.equal((await server.api(`GET /jobs/${build.id}/artifacts`, { token: null })).status, 401);
      await runner.report(test, { state: 'success' });
      await drainQueue();
    });

    it('are found by ref and job name', async () => {
      const at = (path: string) => bytesAt(`/jobs/artifacts/${path}`);
      assert.ok((await at('main/download?job=build')).bytes.equals(archive));
      const raw = await at('main/raw/out/a.txt?job=build');
      assert.deepEqual([raw.bytes.toString(), raw.headers.get('content-type')], ['hello', 'text/plain; charset=utf-8']);
      for (const path of [
        'main/download?job=none',
        'none/download?job=build',
        'main/raw/none?job=build',
        'a/b/download?job=build',
        'main/download?job=test',
      ]) {
        assert.equal((await at(path)).status, 404, path);
      }
      assert.equal((await at('main/download')).status, 400);
      assert.equal((await at('HEAD/download?job=build')).status, 404);

      // Neither a running nor a failed newer pipeline hides the artifacts.
      await server.must(`POST /projects/${project.id}/pipeline`, { token: owner.token, json: { ref: 'main' } });
      await drainQueue();
      assert.equal((await at('main/download?job=build')).status, 200);
      const jobs = [await runner.take(), await runner.take()];
      for (const job of jobs) await runner.report(job, { state: 'success' });
      await drainQueue();
      await runner.report(await runner.take(), { state: 'success' });
      await drainQueue();
      assert.equal((await at('main/download?job=build')).status, 404);
      assert.equal((await at('main/download?job=build&search_recent_successful_pipelines=true')).status, 200);

      await server.must(`POST /projects/${project.id}/repository/branches?branch=feature/x&ref=main`, {
        token: owner.token,
      });
      await server.must(`POST /projects/${project.id}/pipeline`, { token: owner.token, json: { ref: 'feature/x' } });
      await drainQueue();
      const [one, two] = [await runner.take(), await runner.take()];
      await upload(one, archive);
      for (const job of [one, two]) await runner.report(job, { state: 'success' });
      await drainQueue();
      await runner.report(await runner.take(), { state: 'success' });
      await drainQueue();
      for (const ref of ['feature%2Fx', 'feature/x']) {
        assert.equal((await at(`${ref}/download?job=build`)).status, 200, ref);
        assert.equal((await at(`${ref}/raw/out/a.txt?job=build`)).bytes.toString(), 'hello', ref);
      }
    });

    it('of type junit form the test report of the pipeline', async () => {
      const [job] = (await get(`/jobs?scope=success&ref=main&sort=asc`)).body;
      const report = await get(`/pipelines/${job.pipeline.id}/test_report`);
      const { total_count, success_count, failed_count, skipped_count, error_count, test_suites } = report.body;
      assert.deepEqual([total_count, success_count, failed_count, skipped_count, error_count], [3, 1, 1, 1, 0]);
      assert.deepEqual([test_suites.length, test_suites[0].name], [1, 'build']);
      const bad = test_suites[0].test_cases.find(({ name }: { name: string }) => name === 'bad');
      assert.deepEqual(
        [bad.status, bad.classname, bad.file, bad.execution_time, bad.system_output],
        ['failed', 'c', 'a.js', 2, 'trace & more'],
      );
      const summary = await get(`/pipelines/${job.pipeline.id}/test_report_summary`);
      assert.deepEqual(summary.body.total, {
        time: 3,
        count: 3,
        success: 1,
        failed: 1,
        skipped: 1,
        error: 0,
        suite_error: null,
      });
      assert.deepEqual(summary.body.test_suites[0].build_ids, [build.id]);
      assert.equal((await get(`/pipelines/${job.pipeline.id}/test_report`, stranger)).status, 404);
    });

    it('expire unless kept or in the latest pipeline of their ref', async () => {
      const expire = () =>
        server.db.write((trx) =>
          trx.updateTable('job_artifacts').set({ expire_at: 1 }).where('job_id', '=', build.id).execute(),
        );
      await expire();
      // Its pipeline is no longer the latest successful one of its ref.
      assert.equal((await get(`/jobs/${build.id}/artifacts`)).status, 404);
      assert.equal(
        (await server.api(`POST /projects/${project.id}/jobs/${build.id}/artifacts/keep`, { token: owner.token }))
          .status,
        404,
      );
      const keep = (id: number, person: Person) =>
        server.api(`POST /projects/${project.id}/jobs/${id}/artifacts/keep`, { token: person.token });
      assert.equal((await keep(secret.id, reporter)).status, 403);
      const kept = await keep(secret.id, owner);
      assert.deepEqual([kept.status, kept.body.artifacts_expire_at], [200, null]);
      assert.match(kept.body.download_url, /\/-\/jobs\/\d+\/artifacts\/download$/);

      assert.equal(
        (await server.api(`DELETE /projects/${project.id}/artifacts`, { token: reporter.token })).status,
        403,
      );
      const all = await server.api(`DELETE /projects/${project.id}/artifacts`, { token: owner.token });
      assert.deepEqual([all.status, all.body], [202, { message: '202 Accepted' }]);
      await drainQueue();
      const left = await server.db.read
        .selectFrom('job_artifacts')
        .select(['job_id', 'file_type'])
        .where('project_id', '=', project.id)
        .execute();
      assert.equal(
        left.some(({ job_id }) => job_id === build.id),
        false,
      );
      assert.equal(left.filter(({ job_id }) => job_id === secret.id).length, 2);
      // The latest pipeline of the other branch is still locked.
      assert.equal((await bytesAt('/jobs/artifacts/feature%2Fx/download?job=build')).status, 200);
    });

    it('are deleted by Maintainers together with their files', async () => {
      const path = `DELETE /projects/${project.id}/jobs/${secret.id}/artifacts`;
      const keys = await server.db.read
        .selectFrom('job_artifacts')
        .select('storage_key')
        .where('job_id', '=', secret.id)
        .execute();
      assert.equal((await server.api(path, { token: reporter.token })).status, 403);
      assert.equal((await server.api(path, { token: owner.token })).status, 204);
      assert.equal((await server.api(path, { token: owner.token })).status, 204);
      assert.deepEqual((await get(`/jobs/${secret.id}`)).body.artifacts, []);
      await drainQueue();
      assert.ok(keys.length > 0);
      for (const { storage_key } of keys)
        assert.equal(await server.running.services.storage.stat(storage_key), undefined);
    });

    it('count towards the storage statistics of the project and its groups until deleted', async () => {
      const group = await server.must('POST /groups', { json: { name: 'Storage', path: 'storage' } });
      await server.must(`PUT /projects/${project.id}/transfer`, { json: { namespace: group.id } });
      const sizes = async () => {
        const { statistics } = await server.must(`GET /projects/${project.id}?statistics=true`);
        const [shown] = await server.must(`GET /groups?search=storage&statistics=true`);
        const root = shown.root_storage_statistics;
        assert.deepEqual(
          [shown.statistics.job_artifacts_size, root.build_artifacts_size, root.storage_size],
          [statistics.job_artifacts_size, statistics.job_artifacts_size, statistics.storage_size],
        );
        assert.ok(statistics.storage_size >= statistics.job_artifacts_size + statistics.repository_size);
        return statistics.job_artifacts_size as number;
      };
      const stored = async () => {
        const rows = await server.db.read
          .selectFrom('job_artifacts')
          .select('size')
          .where('project_id', '=', project.id)
          .execute();
        return rows.reduce((sum, { size }) => sum + Number(size), 0);
      };
      const before = await stored();
      assert.ok(before > 0);
      assert.equal(await sizes(), before);
      const [one] = await server.db.read
        .selectFrom('job_artifacts')
        .select('id')
        .where('project_id', '=', project.id)
        .where('size', '>', 0)
        .execute();
      await server.db.write((trx) =>
        trx
          .deleteFrom('job_artifacts')
          .where('id', '=', one?.id ?? 0)
          .execute(),
      );
      const left = await stored();
      assert.ok(left < before);
      assert.equal(await sizes(), left);
      // Deleting the jobs resets their share of the statistics.
      await server.db.write((trx) => trx.deleteFrom('ci_jobs').where('project_id', '=', project.id).execute());
      assert.equal(await sizes(), 0);
    });
  });
});
