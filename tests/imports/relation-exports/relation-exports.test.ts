import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { before, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { Role } from '../../../src/access/roles.ts';
import type { Project } from '../../../src/access/tables.ts';
import { storeLfsObject } from '../../../src/code/lfs/public.ts';
import { expireRelations } from '../../../src/imports/relation-exports/jobs.ts';
import { armFault } from '../../../src/platform/faults.ts';
import { readTar } from '../../../src/platform/git/archive/tar.ts';
import { atEnd } from '../../support/at-end.ts';
import { forEachEngine } from '../../support/engines.ts';
import { GitClient } from '../../support/git-client.ts';
import { addFilledProject } from '../../support/git-project.ts';
import { addMember, addPerson, type Person } from '../../support/scene.ts';
import { type Answer, type Sending, startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

forEachEngine((engine) => {
  let server: TestServer;
  let owner: Person;
  let project: Project;
  let base: string;

  before(async () => {
    server = await startTestServer(engine);
    await server.must('PUT /application/settings', { json: { bulk_import_enabled: true } });
    owner = await addPerson(server, 'owner');
    const client = new GitClient();
    await client.init();
    await client.commit({ 'a.txt': 'one' }, 'first');
    project = await addFilledProject(server, owner, 'source', client);
    base = `/projects/${project.id}/export_relations`;
    const add = (place: string, sending: Sending) =>
      server.must(`POST /projects/${project.id}/${place}`, { token: owner.token, ...sending });
    for (const name of ['bug', 'idea']) await add('labels', { json: { name, color: '#ff0000' } });
    await add('issues', { json: { title: 'first', labels: 'bug' } });
    const form = new FormData();
    form.append('file', new Blob(['a picture']), 'shot.png');
    await add('uploads', { body: form });
    const bytes = Buffer.from(`large ${engine}`);
    const oid = createHash('sha256').update(bytes).digest('hex');
    await storeLfsObject(server.running.services, project.id, { oid, size: bytes.length }, Readable.from([bytes]));
  });

  const as = (call: string, sending: Sending = {}) => server.api(call, { token: owner.token, ...sending });
  const states = async (): Promise<Answer['body'][]> => (await as(`GET ${base}/status`)).body;
  const made = async (json: object = {}) => {
    const answer = await as(`POST ${base}`, { json });
    assert.deepEqual([answer.status, answer.body], [202, { message: '202 Accepted' }]);
    await until(async () => (await states()).every(({ status }) => status !== 0));
    return states();
  };
  const download = async (query: string) => {
    const response = await fetch(`${server.url}/api/v4${base}/download?${query}`, {
      headers: { 'private-token': owner.token },
    });
    assert.equal(response.status, 200);
    const filename = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1];
    return { filename, bytes: gunzipSync(Buffer.from(await response.arrayBuffer())) };
  };
  const linesOf = (bytes: Buffer) =>
    bytes
      .toString()
      .split('\n')
      .filter((line) => line !== '')
      .map((line): Answer['body'] => JSON.parse(line));
  const entriesOf = async (bytes: Buffer) => {
    const found: Record<string, Buffer> = {};
    for await (const { path, content } of readTar(Readable.from([bytes]))) {
      const chunks: Buffer[] = [];
      for await (const chunk of content) chunks.push(chunk);
      found[path] = Buffer.concat(chunks);
    }
    return found;
  };

  it('exports each relation to a file', async () => {
    const all = await made();
    assert.deepEqual(
      all.filter(({ status, batched }) => status !== 1 || batched),
      [],
    );
    const labels = all.find(({ relation }) => relation === 'labels');
    assert.deepEqual(labels, {
      relation: 'labels',
      status: 1,
      error: null,
      updated_at: labels?.updated_at,
      batched: false,
      batches_count: 0,
      total_objects_count: 2,
    });
    assert.deepEqual((await as(`GET ${base}/status?relation=labels`)).body, labels);
    const file = await download('relation=labels');
    assert.equal(file.filename, 'labels.ndjson.gz');
    assert.deepEqual(
      linesOf(file.bytes).map(({ title }) => title),
      ['bug', 'idea'],
    );
    assert.equal(linesOf((await download('relation=milestones')).bytes).length, 0);
    const people = linesOf((await download('relation=user_contributions')).bytes);
    assert.deepEqual(
      people.map(({ username }) => username),
      [owner.user.username],
    );
    const self = await download('relation=self');
    assert.equal(self.filename, 'self.json.gz');
    assert.equal(JSON.parse(self.bytes.toString()).path, project.path);
  });

  it('exports the repository and uploads as archives', async () => {
    await made();
    const repository = await download('relation=repository');
    assert.equal(repository.filename, 'repository.tar.gz');
    const folder = mkdtempSync(join(tmpdir(), 'hearth-bundle-'));
    atEnd(async () => rmSync(folder, { recursive: true, force: true }));
    const bundle = join(folder, 'repository.bundle');
    writeFileSync(bundle, (await entriesOf(repository.bytes))['repository.bundle'] ?? '');
    const heads = execFileSync('git', ['bundle', 'list-heads', bundle], { encoding: 'utf8' });
    const tip = (await as(`GET /projects/${project.id}/repository/commits/main`)).body.id;
    assert.ok(heads.includes(`${tip} refs/heads/main`));
    const [upload = ''] = Object.keys(await entriesOf((await download('relation=uploads')).bytes));
    assert.match(upload, /^[0-9a-f]{32}\/shot\.png$/);
    const large = await entriesOf((await download('relation=lfs_objects')).bytes);
    const [oid = ''] = Object.keys(JSON.parse(String(large['lfs_objects.json'])));
    assert.equal(String(large[oid]), `large ${engine}`);
  });

  it('exports batches of 1000 objects on request', async () => {
    const now = Date.now();
    const many = Array.from({ length: 1001 }, (_, at) => ({
      project_id: project.id,
      title: `many ${String(at).padStart(4, '0')}`,
      color: '#00ff00',
      created_at: now,
      updated_at: now,
    }));
    await server.db.write(async (trx) => {
      for (let at = 0; at < many.length; at += 100) {
        await trx
          .insertInto('labels')
          .values(many.slice(at, at + 100))
          .execute();
      }
    });
    const all = await made({ batched: true });
    const labels = all.find(({ relation }) => relation === 'labels');
    assert.deepEqual([labels?.batched, labels?.batches_count, labels?.total_objects_count], [true, 2, 1003]);
    assert.deepEqual(
      labels?.batches.map(({ status, batch_number, objects_count, error }: Answer['body']) => [
        status,
        batch_number,
        objects_count,
        error,
      ]),
      [
        [1, 1, 1000, null],
        [1, 2, 3, null],
      ],
    );
    const parts = [];
    for (const number of [1, 2]) {
      parts.push(...linesOf((await download(`relation=labels&batched=true&batch_number=${number}`)).bytes));
    }
    assert.equal(new Set(parts.map(({ title }) => title)).size, 1003);
    const self = all.find(({ relation }) => relation === 'self');
    assert.equal(self?.batched, false);
    const absent = [0, -1, 3, 2 ** 31, 2 ** 40].map((number) => `relation=labels&batched=true&batch_number=${number}`);
    for (const query of ['relation=labels', ...absent]) {
      assert.equal((await as(`GET ${base}/download?${query}`)).status, 404, query);
    }
  });

  it('has the same result if a worker crashed, and deletes the files after a day', async () => {
    let died = 0;
    const disarm = armFault('relation-export.made', () => {
      died += 1;
      disarm();
      throw new Error('gone');
    });
    const all = await made();
    assert.equal(died, 1);
    assert.ok(all.every(({ status, error }) => status === 1 && error === null));
    const { services } = server.running;
    await services.queue.drain();
    const keys = await server.db.read.selectFrom('relation_export_files').select('storage_key').execute();
    assert.equal(keys.length, all.length, 'one file each, without older ones');
    await expireRelations(services, Date.now() + 25 * 60 * 60_000);
    await services.queue.drain();
    assert.deepEqual(await states(), []);
    assert.equal((await as(`GET ${base}/download?relation=labels`)).status, 404);
    for (const { storage_key } of keys) await assert.rejects(services.storage.get(storage_key));
  });

  it('requires the Maintainer role and the enabled setting', async () => {
    const [developer, stranger] = [await addPerson(server, 'dev'), await addPerson(server, 'stranger')];
    await addMember(server, project, developer, Role.developer);
    const calls = [`POST ${base}`, `GET ${base}/status`, `GET ${base}/download?relation=labels`];
    for (const call of calls) {
      assert.equal((await as(call, { token: developer.token })).status, 403, call);
      assert.equal((await as(call, { token: stranger.token })).status, 404, call);
      assert.equal((await as(call, { token: null })).status, 401, call);
    }
    const missing = await as(`GET ${base}/download`);
    assert.deepEqual([missing.status, missing.body], [400, { error: 'relation is missing' }]);
    const half = await as(`GET ${base}/download?relation=labels&batched=true`);
    assert.deepEqual(half.body, { error: 'batched, batch_number provide all or none of parameters' });
    const unknown = await as(`GET ${base}/status?relation=nothing`);
    assert.deepEqual([unknown.status, unknown.body], [404, { message: 'Export not found' }]);
    await server.must('PUT /application/settings', { json: { bulk_import_enabled: false } });
    for (const call of calls) assert.equal((await as(call)).status, 404, call);
    await server.must('PUT /application/settings', { json: { bulk_import_enabled: true } });
  });
});
