import assert from 'node:assert/strict';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { before, describe, it } from 'node:test';
import { crc32 } from 'node:zlib';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import { openLog } from '../../../src/ci/job-logs/service.ts';
import { jobById } from '../../../src/ci/jobs/public.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { addFilledProject } from '../../support/git-project.ts';
import { addMember, addPerson, type Person } from '../../support/scene.ts';
import { type Answer, startTestServer, type TestServer } from '../../support/server.ts';
import { info, RunnerClient } from '../runner-client.ts';

const jobs = Array.from({ length: 18 }, (_, at) => `job${at}: {script: echo, allow_failure: {exit_codes: [42]}}`);

const checksumOf = (text: string) => `crc32:${crc32(text).toString(16).padStart(8, '0')}`;

forEachEngine((engine) => {
  describe('runner job reports', () => {
    let server: TestServer;
    let owner: Person;
    let project: Project;
    let runner: RunnerClient;
    const statusAndMessage = ({ status, body }: Answer) => [status, body.message ?? body.error];
    const drainQueue = () => server.running.services.queue.drain();
    const shown = (id: number) => server.must(`GET /projects/${project.id}/jobs/${id}`, { token: owner.token });
    const trace = (id: number, token = owner.token) =>
      server.api(`GET /projects/${project.id}/jobs/${id}/trace`, { token });

    before(async () => {
      server = await startTestServer(engine, ['--max-job-log', '64KiB']);
      owner = await addPerson(server, 'owner');
      const source = new GitClient();
      await source.init();
      await source.commit({ '.gitlab-ci.yml': jobs.join('\n') }, 'root');
      project = await addFilledProject(server, owner, 'logged', source);
      await drainQueue();
      const runnerOptions = { runner_type: 'project_type', project_id: project.id };
      runner = await RunnerClient.create(server, runnerOptions, owner.token);
    });

    it('append logs by range, which are readable while growing and stored as one file at the end', async () => {
      const job = await runner.take();
      const first = await runner.patch(job, 0, 'Grüße\n');
      assert.deepEqual([first.status, first.text], [202, '']);
      assert.equal(first.headers.get('range'), '0-8');
      assert.equal(first.headers.get('job-status'), 'running');
      assert.match(first.headers.get('x-gitlab-trace-update-interval') ?? '', /^\d+$/);
      assert.equal((await trace(job.id)).text, 'Grüße\n');
      // The log is being watched: the update interval is shortened.
      const second = await runner.patch(job, 8, `token ${job.token} end\n`);
      assert.equal(second.headers.get('x-gitlab-trace-update-interval'), '3');
      for (const start of [0, 7, 9, 9999]) {
        const wrong = await runner.patch(job, start, 'x');
        assert.deepEqual(
          [...statusAndMessage(wrong), wrong.headers.get('range')],
          [416, '416 Range Not Satisfiable', second.headers.get('range')],
        );
      }
      const hidden = 'x'.repeat(job.token.length);
      assert.equal((await trace(job.id)).text, `Grüße\ntoken ${hidden} end\n`);
      // The checksum covers the sent bytes, not the masked ones.
      const sent = `Grüße\ntoken ${job.token} end\n`;
      const output = { checksum: checksumOf(sent), bytesize: Buffer.byteLength(sent) };
      const ended = await runner.report(job, { state: 'success', output });
      assert.deepEqual([ended.status, ended.text, ended.headers.get('job-status')], [200, '', 'success']);
      await drainQueue();
      const { artifacts } = await shown(job.id);
      assert.deepEqual(artifacts, [
        { file_type: 'trace', size: 8 + 11 + job.token.length, filename: 'job.log', file_format: 'raw' },
      ]);
      assert.equal((await trace(job.id)).text, `Grüße\ntoken ${hidden} end\n`);
      const left = await server.db.read.selectFrom('job_log_chunks').selectAll().where('job_id', '=', job.id).execute();
      assert.deepEqual(left, []);
    });

    it('continue from the stored file for readers of a growing log', async () => {
      const { services } = server.running;
      const job = await runner.take();
      await runner.patch(job, 0, 'one\n');
      await runner.patch(job, 4, 'two\n');
      const row = await jobById(server.db.read, job.id);
      assert.ok(row);
      const whole = await openLog(services, row);
      const part = await openLog(services, row, { start: 2, end: 5 });
      await runner.report(job, { state: 'success' });
      await drainQueue();
      assert.equal(await text(whole?.stream as Readable), 'one\ntwo\n');
      assert.equal(await text(part?.stream as Readable), 'e\ntw');
    });

    it('request an incomplete log again once, if the runner supports it', async () => {
      const job = await runner.take();
      await runner.patch(job, 0, 'lost\n');
      const output = { checksum: checksumOf('kept\n'), bytesize: 5 };
      const running = await runner.report(job, { state: 'running', output });
      assert.equal(running.status, 200);
      const refused = await runner.report(job, { state: 'success', output });
      assert.deepEqual([refused.status, refused.headers.get('job-status')], [412, 'running']);
      assert.equal((await trace(job.id)).text, '');
      assert.equal((await runner.patch(job, 0, 'kept\n')).status, 202);
      assert.equal((await runner.report(job, { state: 'success', output })).status, 200);
      await drainQueue();
      assert.equal((await trace(job.id)).text, 'kept\n');

      const unresolved = await runner.take();
      await runner.patch(unresolved, 0, 'lost\n');
      assert.equal((await runner.report(unresolved, { state: 'success', output })).status, 412);
      await runner.patch(unresolved, 0, 'lost\n');
      assert.equal((await runner.report(unresolved, { state: 'success', checksum: output.checksum })).status, 200);

      const runnerOptions = { runner_type: 'project_type', project_id: project.id };
      const plain = await RunnerClient.create(server, runnerOptions, owner.token);
      const answer = await plain.ask({ info: { ...info, features: { ...info.features, trace_reset: false } } });
      await plain.patch(answer.body, 0, 'lost\n');
      assert.equal((await plain.report(answer.body, { state: 'success', output })).status, 200);
      assert.equal((await trace(answer.body.id)).text, 'lost\n');
    });

    it('serve log ranges while the log grows and afterwards', async () => {
      const job = await runner.take();
      for (const [at, text] of ['one\n', 'two\n', 'three\n'].entries()) await runner.patch(job, at * 4, text);
      const part = async (range: string) => {
        const call = `GET /projects/${project.id}/jobs/${job.id}/trace`;
        const { status, text, headers } = await server.api(call, { token: owner.token, headers: { range } });
        return [status, text, headers.get('content-range')];
      };
      const parts = async () => {
        assert.deepEqual(await part('bytes=2-5'), [206, 'e\ntw', 'bytes 2-5/14']);
        assert.deepEqual(await part('bytes=9-'), [206, 'hree\n', 'bytes 9-13/14']);
        assert.deepEqual(await part('bytes=-3'), [206, 'ee\n', 'bytes 11-13/14']);
        assert.deepEqual(await part('bytes=0-99'), [206, 'one\ntwo\nthree\n', 'bytes 0-13/14']);
        assert.deepEqual((await part('bytes=14-')).filter(Number.isInteger), [416]);
        assert.deepEqual(await part('lines=1-2'), [200, 'one\ntwo\nthree\n', null]);
      };
      await parts();
      await runner.report(job, { state: 'success' });
      await server.running.services.queue.drain();
      await parts();
    });

    it('update the contact time of the runner', async () => {
      const job = await runner.take();
      const statusOf = async () => (await server.must(`GET /projects/${project.id}/runners`))[0].status;
      const longAgo = { contacted_at: Date.now() - 3 * 3_600_000 };
      await server.db.write(async (trx) => {
        await trx.updateTable('runners').set(longAgo).execute();
        await trx.updateTable('runner_managers').set(longAgo).execute();
      });
      assert.equal(await statusOf(), 'offline');
      assert.equal((await runner.patch(job, 0, 'still here\n')).status, 202);
      assert.equal(await statusOf(), 'online');
      await runner.report(job, { state: 'success' });
      await drainQueue();
    });

    it('are rejected without the token of a running job', async () => {
      const job = await runner.take();
      const other = await runner.take();
      const forbidden = [403, '403 Forbidden'];
      assert.deepEqual(
        statusAndMessage(await runner.report({ id: job.id, token: other.token }, { state: 'running' })),
        forbidden,
      );
      assert.deepEqual(
        statusAndMessage(await runner.report({ id: 99_999_999, token: job.token }, { state: 'running' })),
        forbidden,
      );
      assert.deepEqual(statusAndMessage(await runner.patch({ id: job.id, token: other.token }, 0, 'x')), forbidden);
      assert.deepEqual(
        statusAndMessage(await server.api(`PUT /jobs/${job.id}`, { token: null, json: { state: 'running' } })),
        forbidden,
      );
      assert.deepEqual(
        statusAndMessage(await server.api(`PUT /jobs/${job.id}`, { json: { state: 'success' } })),
        forbidden,
      );
      const missing = await server.api(`PATCH /jobs/${job.id}/trace`, {
        token: null,
        headers: { 'job-token': job.token, 'content-type': 'text/plain' },
        body: 'x',
      });
      assert.deepEqual([missing.status, missing.body], [400, { error: '400 Missing header Content-Range' }]);
      assert.equal((await runner.report(job, { state: 'pending' })).status, 400);
      assert.equal((await runner.report(job, {})).status, 400);
      await runner.report(job, { state: 'failed', failure_reason: 'script_failure', exit_code: 1 });
      const rejected = await runner.patch(job, 0, 'late');
      assert.deepEqual(
        [...statusAndMessage(rejected), rejected.headers.get('job-status')],
        [403, '403 Forbidden - Job is not processing on runner', 'failed'],
      );
      assert.equal((await runner.report(job, { state: 'success' })).status, 403);
    });

    it('store the failure reason and exit code', async () => {
      const job = await runner.take();
      assert.equal((await runner.report(job, { state: 'running' })).headers.get('job-status'), 'running');
      await runner.report(job, { state: 'failed', failure_reason: 'script_failure', exit_code: 42 });
      const failed = await shown(job.id);
      assert.deepEqual(
        [failed.status, failed.failure_reason, failed.allow_failure],
        ['failed', 'script_failure', true],
      );
      // A runner reports the reasons that it was told of with the job, and others as one of them.
      const interrupted = await runner.take();
      const reasons = ['runner_external_dependency_failure', 'runner_interrupted'];
      assert.deepEqual(interrupted.features.failure_reasons.slice(-2), reasons);
      await runner.report(interrupted, { state: 'failed', failure_reason: 'runner_interrupted' });
      assert.equal((await shown(interrupted.id)).failure_reason, 'runner_interrupted');
      const odd = await runner.take();
      await runner.report(odd, { state: 'failed', failure_reason: 'never_heard_of' });
      const unknown = await shown(odd.id);
      assert.deepEqual(
        [unknown.status, unknown.failure_reason, unknown.allow_failure],
        ['failed', 'unknown_failure', false],
      );
    });

    it('complete a job that is being canceled as canceled', async () => {
      const job = await runner.take();
      await server.must(`POST /projects/${project.id}/jobs/${job.id}/cancel`, { token: owner.token });
      const patched = await runner.patch(job, 0, 'after_script\n');
      assert.deepEqual([patched.status, patched.headers.get('job-status')], [202, 'canceling']);
      const ended = await runner.report(job, { state: 'failed', failure_reason: 'script_failure' });
      assert.deepEqual([ended.status, ended.headers.get('job-status')], [200, 'canceled']);
      assert.equal((await shown(job.id)).status, 'canceled');

      const immediate = await runner.ask({
        system_id: 's_abrupt',
        info: { ...info, features: { return_exit_code: true } },
      });
      await server.must(`POST /projects/${project.id}/jobs/${immediate.body.id}/cancel`, { token: owner.token });
      const report = await runner.report(immediate.body, { state: 'running' });
      assert.deepEqual([report.status, report.headers.get('job-status')], [403, 'canceled']);
    });

    it('fail the job when its log exceeds the limit', async () => {
      const job = await runner.take();
      assert.equal((await runner.patch(job, 0, 'x'.repeat(60 * 1024))).status, 202);
      const rejected = await runner.patch(job, 60 * 1024, 'x'.repeat(5 * 1024));
      assert.deepEqual([rejected.status, rejected.body], [403, { error: '403 Forbidden' }]);
      const failed = await shown(job.id);
      assert.deepEqual([failed.status, failed.failure_reason], ['failed', 'trace_size_exceeded']);
    });

    it('restrict debug logs to Developers', async () => {
      const reader = await addPerson(server, 'reader');
      await addMember(server, project, reader, Role.reporter);
      const job = await runner.take();
      await runner.patch(job, 0, 'secret', '?debug_trace=true');
      assert.equal((await trace(job.id)).text, 'secret');
      assert.equal((await trace(job.id, reader.token)).status, 403);
      // Debug variables restrict the log even if the runner does not report debugging.
      const variable = { key: 'CI_DEBUG_SERVICES', value: 'true' };
      const variables = `/projects/${project.id}/variables`;
      await server.must(`POST ${variables}`, { token: owner.token, json: variable });
      const second = await runner.take();
      await runner.patch(second, 0, 'secret');
      await server.api(`DELETE ${variables}/${variable.key}`, { token: owner.token });
      assert.equal((await trace(second.id)).text, 'secret');
      assert.equal((await trace(second.id, reader.token)).status, 403);
    });

    it('are erased with the job', async () => {
      const job = await runner.take();
      await runner.patch(job, 0, 'gone\n');
      await runner.report(job, { state: 'success' });
      await drainQueue();
      const erased = await server.api(`POST /projects/${project.id}/jobs/${job.id}/erase`, { token: owner.token });
      assert.equal(erased.status, 201);
      assert.equal((await trace(job.id)).text, '');
    });
  });
});
