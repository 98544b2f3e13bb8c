import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { zipOf } from '../ci/artifacts/zip.ts';
import { type Answer, ApiClient, rootToken, type Sending } from '../support/server.ts';
import { ServerPlace, type StartedProcess } from '../support/server-process.ts';
import { plainTar } from '../support/tar.ts';
import { until } from '../support/until.ts';

const MiB = 1024 * 1024;
/** Decompressed size of each payload, and the part of it the server may hold in memory or on disk. */
const unpacked = 256 * MiB;
const held = 176 * MiB;
const blank = Buffer.alloc(unpacked, 0x20);
const gzipped = gzipSync(blank, { level: 1 });
const archived = gzipSync(plainTar({ 'tree/project/labels.ndjson': blank, 'bomb/Chart.yaml': '' }), { level: 1 });

const configuration = 'archive: {script: make}\ndotenv: {script: make}\njunit: {script: make}\n';
const json = { 'content-type': 'application/json' };
const packed = { 'content-encoding': 'gzip' };

function formOf(name: string, bytes: Buffer, fields: Readonly<Record<string, string>> = {}, file = 'file'): FormData {
  const form = new FormData();
  for (const [key, value] of Object.entries(fields)) form.set(key, value);
  form.set(name, new Blob([Uint8Array.from(bytes)]), file);
  return form;
}

function bytesBelow(folder: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, one) => {
    const path = join(folder, one.name);
    return sum + (one.isDirectory() ? bytesBelow(path) : one.isFile() ? statSync(path).size : 0);
  }, 0);
}

// Decompression does not depend on the engine. A separate process, so that only the memory of the server is measured.
describe('decompression bombs', () => {
  let api: ApiClient;
  let server: StartedProcess;
  let data: string;
  let project: { id: number; path_with_namespace: string };
  const jobs = new Map<string, { id: number; token: string }>();
  let tracked = '';
  let zipped: Buffer;

  /** The peak memory usage of the server in bytes. */
  const peak = () => {
    const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${server.child.pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) * 1024;
  };

  before(async () => {
    zipped = await zipOf({ 'bomb.nuspec': blank });
    const limits = ['key', 'project', 'address', 'daily'].flatMap((name) => [`--error-${name}-rate`, '0']);
    const place = await ServerPlace.make('sqlite', limits);
    data = place.config().data;
    const started = await place.serve();
    server = started;
    api = new ApiClient(started.line);
    project = await api.must('POST /projects', { json: { name: 'bombed', initialize_with_readme: true } });
    const file = { branch: 'main', commit_message: 'ci', content: configuration };
    await api.must(`POST /projects/${project.id}/repository/files/.gitlab-ci.yml`, { json: file });
    const runner = await api.must('POST /user/runners', { json: { runner_type: 'instance_type' } });
    for (const _ of ['archive', 'dotenv', 'junit']) {
      await until(async () => {
        const asked = await api.api('POST /jobs/request', { token: null, json: { token: runner.token } });
        if (asked.status === 201) jobs.set(asked.body.job_info.name, asked.body);
        return asked.status === 201;
      });
    }
    const settings = { active: true, integrated: true };
    await api.must(`PUT /projects/${project.id}/error_tracking/settings`, { json: settings });
    const [key] = await api.must(`GET /projects/${project.id}/error_tracking/client_keys`);
    tracked = `/api/../errortracking/api/v1/projects/api/${project.id}/store/?sentry_key=${key.public_key}`;
    await api.must('PUT /application/settings', { json: { max_decompressed_archive_size: 16 } });
  });

  const call = async (target: string, sending: Sending): Promise<Answer> => api.api(target, sending);
  const body = (type: Record<string, string>, bytes = gzipped): Sending => ({
    headers: { ...type, ...packed },
    body: Uint8Array.from(bytes),
  });
  const raw = (bytes: Buffer, headers: Record<string, string> = {}): Sending => ({
    headers: { 'content-type': 'application/octet-stream', ...headers },
    body: Uint8Array.from(bytes),
  });
  const upload = (name: string, bytes: Buffer, type: string, format: string) => {
    const job = jobs.get(name);
    assert.ok(job);
    const headers = { 'job-token': job.token };
    const query = `artifact_type=${type}&artifact_format=${format}`;
    return call(`POST /jobs/${job.id}/artifacts?${query}`, { token: null, headers, body: formOf('file', bytes) });
  };
  /** Imports are processed by a job. */
  const imported = async () => {
    const made = await call('POST /projects/import', { body: formOf('file', archived, { path: 'bomb' }) });
    assert.equal(made.status, 201);
    const state = () => api.must(`GET /projects/${made.body.id}/import`);
    await until(async () => (await state()).import_status === 'failed');
    return { ...made, status: 400, text: (await state()).import_error };
  };
  const packages = () => `/projects/${project.id}/packages`;
  const encoded = (encoding: string, bytes: Buffer) =>
    call(`POST ${tracked}`, { token: null, headers: { 'content-encoding': encoding }, body: Uint8Array.from(bytes) });
  const basic = { authorization: `Basic ${Buffer.from(`root:${rootToken}`).toString('base64')}` };
  const git = (service: string) => `/api/../${project.path_with_namespace}.git/${service}`;

  const refused: readonly (readonly [name: string, send: () => Promise<Answer>, statuses: readonly number[]])[] = [
    ['JSON', () => call('POST /groups', body(json)), [413]],
    ['a form', () => call('POST /groups', body({ 'content-type': 'application/x-www-form-urlencoded' })), [413]],
    ['anonymous JSON', () => call('POST /groups', { ...body(json), token: null }), [401]],
    ['a commit', () => call(`POST /projects/${project.id}/repository/commits`, body(json)), [413]],
    // These endpoints do not accept compressed bodies.
    ['a GraphQL query', () => call('POST /api/graphql', body(json)), [422]],
    ['an npm package', () => call(`PUT ${packages()}/npm/bomb`, body(json)), [413]],
    [
      'an LFS batch request',
      () =>
        call(`POST ${git('info/lfs/objects/batch')}`, {
          ...body({ ...basic, 'content-type': 'application/vnd.git-lfs+json' }),
          token: null,
        }),
      [413],
    ],
    [
      'a push',
      () =>
        call(`POST ${git('git-receive-pack')}`, {
          ...body({ ...basic, 'content-type': 'application/x-git-receive-pack-request' }),
          token: null,
        }),
      [400, 413, 422],
    ],
    ['a NuGet package', () => call(`PUT ${packages()}/nuget`, { body: formOf('package', zipped) }), [400]],
    [
      'a Helm chart',
      () => call(`POST ${packages()}/helm/api/stable/charts`, { body: formOf('chart', archived) }),
      [400],
    ],
    [
      'a gem',
      () => call(`POST ${packages()}/rubygems/api/v1/gems`, raw(plainTar({ 'metadata.gz': gzipped }), basic)),
      [400],
    ],
    ['dotenv variables of a job', () => upload('dotenv', gzipped, 'dotenv', 'gzip'), [400]],
    ['a project import', imported, [400]],
    ['an error event, with gzip', () => encoded('gzip', gzipped), [413]],
    ['an error event, with deflate', () => encoded('deflate', deflateSync(blank, { level: 1 })), [413]],
    [
      'an error event, with Brotli',
      () => encoded('br', brotliCompressSync(blank, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })),
      [413],
    ],
    ['an error event, with Zstandard', () => encoded('zstd', zstdCompressSync(blank)), [413]],
  ];

  for (const [name, send, statuses] of refused) {
    it(`are rejected: ${name}`, async () => {
      const [memory, disk] = [peak(), bytesBelow(data)];
      const { status, text } = await send();
      assert.ok(statuses.includes(status), `${status} ${text.slice(0, 200)}`);
      assert.ok(peak() - memory < held, `${(peak() - memory) / MiB} MiB`);
      // The upload itself may be stored until cleanup, but not the decompressed data.
      assert.ok(bytesBelow(data) - disk < 32 * MiB, `${(bytesBelow(data) - disk) / MiB} MiB`);
    });
  }

  const kept: readonly (readonly [name: string, send: () => Promise<Answer>])[] = [
    ['a job archive', () => upload('archive', zipped, 'archive', 'zip')],
    ['a job report', () => upload('junit', gzipped, 'junit', 'gzip')],
    ['a generic package', () => call(`PUT ${packages()}/generic/bomb/1.0.0/bomb.gz`, raw(gzipped, packed))],
    ['a file upload', () => call(`POST /projects/${project.id}/uploads`, { body: formOf('file', gzipped) })],
    [
      'an LFS object',
      () => {
        const oid = createHash('sha256').update(gzipped).digest('hex');
        const address = `/api/../${project.path_with_namespace}.git/gitlab-lfs/objects/${oid}/${gzipped.length}`;
        return call(`PUT ${address}`, { ...raw(gzipped, { ...basic, ...packed }), token: null });
      },
    ],
    [
      'a Python package',
      () => {
        const fields = { ':action': 'file_upload', name: 'bomb', version: '1.0' };
        return call(`POST ${packages()}/pypi`, { body: formOf('content', archived, fields, 'bomb-1.0.tar.gz') });
      },
    ],
  ];

  for (const [name, send] of kept) {
    it(`are stored compressed: ${name}`, async () => {
      const [memory, disk] = [peak(), bytesBelow(data)];
      const { status, text } = await send();
      assert.ok(status === 200 || status === 201, `${status} ${text.slice(0, 200)}`);
      assert.ok(peak() - memory < held, `${(peak() - memory) / MiB} MiB`);
      assert.ok(bytesBelow(data) - disk < 32 * MiB, `${(bytesBelow(data) - disk) / MiB} MiB`);
    });
  }

  it('are read up to the limit in test reports', async () => {
    const memory = peak();
    const [pipeline] = await api.must(`GET /projects/${project.id}/pipelines`);
    const report = await call(`GET /projects/${project.id}/pipelines/${pipeline.id}/test_report`, {});
    assert.equal(report.status, 200);
    assert.equal(report.body.total_count, 0);
    assert.ok(peak() - memory < held, `${(peak() - memory) / MiB} MiB`);
  });
});
