import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { type ProjectWithRoles, projectWithRoles } from '../../support/project-with-roles.ts';
import { until } from '../../support/until.ts';
import { RunnerClient } from '../runner-client.ts';
import { zipOf } from './zip.ts';

const configuration = `
stages: [build, test]
slow: {stage: build, script: make, artifacts: {paths: [out/]}}
twice: {stage: build, script: make, artifacts: {paths: [out/]}}
values: {stage: build, script: make, artifacts: {reports: {dotenv: build.env}}}
reader: {stage: test, script: make}
`;

forEachEngine((engine) => {
  describe('uploads of artifacts', () => {
    let fixture: ProjectWithRoles;
    let runner: RunnerClient;
    const jobs = new Map<string, { id: number; token: string }>();

    const jobOf = (name: string) => jobs.get(name) ?? assert.fail(name);
    const drain = () => fixture.server.running.services.queue.drain();
    const shown = (name: string) => fixture.server.must(`GET ${fixture.base}/jobs/${jobOf(name).id}`);
    const upload = (name: string, bytes: Buffer, query = '') => {
      const form = new FormData();
      form.set('file', new Blob([Uint8Array.from(bytes)]), 'artifacts.zip');
      const headers = { 'job-token': jobOf(name).token };
      return fixture.server.api(`POST /jobs/${jobOf(name).id}/artifacts${query}`, { token: null, headers, body: form });
    };
    /** Sends the first half of an upload; the returned function sends the rest and returns the status. */
    const beginUpload = async (name: string, bytes: Buffer) => {
      const { id, token } = jobOf(name);
      const disposition = 'form-data; name="file"; filename="artifacts.zip"';
      const head = `--edge\r\nContent-Disposition: ${disposition}\r\nContent-Type: application/octet-stream\r\n\r\n`;
      const sent = request(`${fixture.server.url}/api/v4/jobs/${id}/artifacts`, {
        method: 'POST',
        headers: { 'job-token': token, 'content-type': 'multipart/form-data; boundary=edge' },
      });
      const status = new Promise<number | undefined>((resolve, reject) => {
        sent.on('response', (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        sent.on('error', reject);
      });
      sent.write(head);
      sent.write(bytes.subarray(0, bytes.length / 2));
      const spool = join(fixture.server.running.services.config.data, 'tmp', 'uploads');
      await until(async () => (await readdir(spool).catch(() => [])).length > 0);
      return () => {
        sent.write(bytes.subarray(bytes.length / 2));
        sent.end('\r\n--edge--\r\n');
        return status;
      };
    };

    before(async () => {
      const source = new GitClient();
      await source.init();
      await source.commit({ '.gitlab-ci.yml': configuration }, 'root [skip ci]');
      fixture = await projectWithRoles(engine, 'uploading', source);
      const settings = { runner_type: 'project_type', project_id: fixture.project.id };
      runner = await RunnerClient.create(fixture.server, settings, fixture.owner.token);
      await fixture.asOwner(`POST ${fixture.base}/pipeline`, { json: { ref: 'main' } });
      await drain();
      for (const _ of ['slow', 'twice', 'values']) {
        const job = await runner.take();
        jobs.set(job.job_info.name, job);
      }
    });

    it('leave nothing if the job is erased meanwhile', async () => {
      const finishUpload = await beginUpload('slow', await zipOf({ 'out/a': 'a'.repeat(1000) }));
      await runner.report(jobOf('slow'), { state: 'success' });
      await drain();
      await fixture.asOwner(`POST ${fixture.base}/jobs/${jobOf('slow').id}/erase`);
      assert.equal(await finishUpload(), 403);
      const { artifacts, artifacts_file: file, artifacts_expire_at: expiry } = await shown('slow');
      assert.deepEqual([artifacts, file, expiry], [[], undefined, null]);
    });

    it('are refused when the metadata of the archive exist already', async () => {
      const metadata = '?artifact_type=metadata&artifact_format=gzip';
      assert.equal((await upload('twice', gzipSync('x'), metadata)).status, 201);
      const { status, body } = await upload('twice', await zipOf({ 'out/a': 'a' }));
      assert.deepEqual([status, body], [400, { message: 'another artifact of the same type already exists' }]);
      const { artifacts } = await shown('twice');
      assert.deepEqual(
        artifacts.map(({ file_type }: { file_type: string }) => file_type),
        ['metadata'],
      );
      await runner.report(jobOf('twice'), { state: 'success' });
    });

    it('of variables may be in UTF-16', async () => {
      const query = '?artifact_type=dotenv&artifact_format=gzip';
      const text = gzipSync(Buffer.from('\ufeffNAME=größer\r\nQUOTED="x y"\r\n', 'utf16le'));
      assert.equal((await upload('values', text, query)).status, 201);
      await runner.report(jobOf('values'), { state: 'success' });
      await drain();
      const reader = await runner.take();
      const values = reader.variables as { key: string; value: string }[];
      const read = (key: string) => values.find((one) => one.key === key)?.value;
      assert.deepEqual([reader.job_info.name, read('NAME'), read('QUOTED')], ['reader', 'größer', '"x y"']);
    });
  });
});
