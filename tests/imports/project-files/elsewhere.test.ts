import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { writeTar } from '../../../src/platform/git/archive/tar.ts';
import { newTarEntry } from '../../../src/platform/git/archive/tar-entry.ts';
import { forEachEngine } from '../../support/engines.ts';
import { type JsonHost, startJsonHost } from '../../support/json-host.ts';
import { addPerson, type Person } from '../../support/scene.ts';
import { type Answer, startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

async function smallFile(): Promise<Buffer> {
  const entry = (path: string, text: string) =>
    newTarEntry({ kind: 'file', path, size: text.length, mtime: 0, content: [Buffer.from(text)] });
  const issue = JSON.stringify({ iid: 3, title: 'From a file', author_id: 1, state: 'opened' });
  const chunks: Buffer[] = [];
  const entries = [entry('tree/project.json', '{"description":"filed"}'), entry('tree/project/issues.ndjson', issue)];
  for await (const chunk of writeTar(entries)) chunks.push(chunk);
  return gzipSync(Buffer.concat(chunks));
}

const bucket = {
  region: 'eu-central-1',
  bucket_name: 'backups',
  file_key: 'a b/export.tar.gz',
  access_key_id: 'AKIDEXAMPLE',
  secret_access_key: 'bucket-secret',
};

forEachEngine((engine) => {
  let server: TestServer;
  let host: JsonHost;
  let owner: Person;
  let bytes: Buffer;

  before(async () => {
    bytes = await smallFile();
    host = await startJsonHost(({ path, headers }) => {
      const signed = /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/s3\/aws4_request,/;
      const open = path === '/export.tar.gz';
      const kept = path === '/backups/a%20b/export.tar.gz' && signed.test(headers.authorization ?? '');
      if (!open && !kept) return { status: 403, json: {} };
      return (response) => response.writeHead(200, { 'content-type': 'application/gzip' }).end(bytes);
    });
    server = await startTestServer(engine, ['--allow-local-egress', '--import-s3-url', host.url]);
    owner = await addPerson(server, 'owner');
    await server.must('POST /groups', { token: owner.token, json: { name: 'Team', path: 'team' } });
  });

  const post = (call: string, json: object, { token } = owner) =>
    server.api(`POST /projects/${call}`, { token, json: { namespace: 'team', ...json } });
  const settled = async ({ status, text, body }: Answer): Promise<Answer['body']> => {
    assert.equal(status, 201, text);
    const shown = () => server.must(`GET /projects/${body.id}/import`, { token: owner.token });
    await until(async () => !['scheduled', 'started'].includes((await shown()).import_status));
    return shown();
  };

  it('imports a project from a remote file', async () => {
    const state = await settled(await post('remote-import', { path: 'fetched', url: `${host.url}/export.tar.gz` }));
    assert.equal(state.import_status, 'finished', state.import_error);
    const missing = await settled(await post('remote-import', { path: 'missing', url: `${host.url}/none` }));
    assert.deepEqual(
      [missing.import_status, missing.import_error],
      ['failed', 'the file could not be fetched: the server responded with 403'],
    );
  });

  it('imports a project from an S3 bucket with a signed request', async () => {
    const state = await settled(await post('remote-import-s3', { ...bucket, path: 'from-bucket' }));
    assert.equal(state.import_status, 'finished', state.import_error);
    assert.equal((await server.must(`GET /projects/${state.id}/issues/3`)).title, 'From a file');
    assert.doesNotMatch(JSON.stringify(host.calls), /bucket-secret/);
    const wrong = await settled(await post('remote-import-s3', { ...bucket, path: 'no-key', access_key_id: 'OTHER' }));
    assert.equal(wrong.import_status, 'failed');
    assert.doesNotMatch(JSON.stringify(wrong), /bucket-secret|OTHER/);
    const rows = await server.db.read.selectFrom('project_imports').select('encrypted_data').execute();
    assert.ok(rows.every((row) => row.encrypted_data === null));
    const bad: [object, string][] = [
      [{ region: 'evil.example/' }, 'region is invalid'],
      [{ bucket_name: 'a/../b' }, 'bucket_name is invalid'],
      [{ file_key: '../other/file' }, 'file_key is invalid'],
      [{ access_key_id: undefined }, 'access_key_id is missing'],
    ];
    for (const [over, error] of bad) {
      const answer = await post('remote-import-s3', { ...bucket, path: 'refused', ...over });
      assert.deepEqual([answer.status, answer.body], [400, { error }]);
    }
    assert.equal((await server.api('POST /projects/remote-import-s3', { token: null, json: bucket })).status, 401);
  });

  it('overwrites a project on request, if the caller may delete it, after the import is complete', async () => {
    const json = { name: 'Old', path: 'same', namespace_id: (await server.must('GET /groups/team')).id };
    const old = await server.must('POST /projects', { token: owner.token, json });
    const url = `${host.url}/export.tar.gz`;
    const taken = await post('remote-import', { path: 'same', url });
    assert.deepEqual([taken.status, /taken/.test(taken.text)], [400, true]);
    const maintainer = await addPerson(server, 'maintainer');
    const member = { user_id: maintainer.user.id, access_level: 40 };
    await server.must('POST /groups/team/members', { token: owner.token, json: member });
    assert.equal((await post('remote-import', { path: 'same', url, overwrite: true }, maintainer)).status, 400);

    const broken = await post('remote-import', { path: 'same', url: `${host.url}/none`, overwrite: true });
    assert.equal((await settled(broken)).import_status, 'failed');
    assert.equal((await server.must('GET /projects/team%2Fsame')).id, old.id, 'a failed import keeps the old project');

    const state = await settled(await post('remote-import', { path: 'same', name: 'New', url, overwrite: true }));
    assert.equal(state.import_status, 'finished', state.import_error);
    const now = await server.must('GET /projects/team%2Fsame');
    assert.deepEqual([now.id, now.name, now.description], [state.id, 'New', 'filed']);
    const before = await server.api(`GET /projects/${old.id}`);
    assert.ok(before.status === 404 || before.body.marked_for_deletion_on !== null);
  });
});
