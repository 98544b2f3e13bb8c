import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { it } from 'node:test';
import { loadConfig } from '../../../src/config/config.ts';
import { createLogger } from '../../../src/platform/log.ts';
import { startServer } from '../../../src/server.ts';
import { forEachEngine } from '../../support/engines.ts';
import { s3Account, startS3Server } from '../../support/s3-server.ts';
import { rootToken, startTestServer } from '../../support/server.ts';
import { newFolder } from '../backups/restored.ts';

const flags = (endpoint: string, bucket = 'forge') => [
  ...['--s3-bucket', bucket, '--s3-endpoint', endpoint, '--s3-prefix', 'hearth/'],
  ...['--s3-access-key-id', s3Account.accessKeyId, '--s3-secret-access-key', s3Account.secretAccessKey],
];

forEachEngine((engine) => {
  it('files are stored in and served from the bucket, and an outage is reported', async () => {
    const bucket = await startS3Server('forge');
    const server = await startTestServer(engine, flags(bucket.endpoint));
    const { data } = server.running.services.config;
    const project = await server.must('POST /projects', { json: { name: 'app' } });
    const base = `/projects/${project.id}`;

    const upload = new FormData();
    upload.set('file', new Blob(['an attachment']), 'note.txt');
    const { id } = await server.must(`POST ${base}/uploads`, { body: upload });
    assert.equal((await server.api(`GET ${base}/uploads/${id}`)).text, 'an attachment');

    const large = randomBytes(9 * 1024 * 1024);
    const oid = createHash('sha256').update(large).digest('hex');
    const lfs = `${server.url}/root/app.git/info/lfs/objects`;
    const basic = `Basic ${Buffer.from(`root:${rootToken}`).toString('base64')}`;
    const headers = {
      authorization: basic,
      'content-type': 'application/vnd.git-lfs+json',
      accept: 'application/vnd.git-lfs+json',
    };
    const batch = async (operation: string) => {
      const body = JSON.stringify({ operation, transfers: ['basic'], objects: [{ oid, size: large.length }] });
      const answer = await fetch(`${lfs}/batch`, { method: 'POST', headers, body });
      const { objects } = (await answer.json()) as {
        objects: { actions: Record<string, { href: string }> }[];
      };
      const action = objects[0]?.actions[operation];
      assert.ok(action);
      return action;
    };
    const put = await batch('upload');
    const stored = await fetch(put.href, {
      method: 'PUT',
      headers: { authorization: basic, 'content-type': 'application/octet-stream' },
      body: large,
    });
    assert.equal(stored.status, 200, await stored.text());
    const got = await batch('download');
    const part = await fetch(got.href, { headers: { authorization: basic, range: 'bytes=8999990-' } });
    assert.ok(Buffer.from(await part.arrayBuffer()).equals(large.subarray(part.status === 206 ? 8_999_990 : 0)));

    assert.ok([...bucket.objects.keys()].every((key) => key.startsWith('hearth/')));
    assert.ok(bucket.objects.size >= 2);
    assert.ok(!(await readdir(data)).includes('storage'));

    // While the bucket is down, its files are unavailable and everything else works.
    bucket.fail(403);
    const away = await server.api(`GET ${base}/uploads/${id}`);
    assert.equal(away.status, 503);
    assert.deepEqual(away.body, { message: '503 Service Unavailable - The object storage does not answer' });
    const again = new FormData();
    again.set('file', new Blob(['x']), 'x.txt');
    assert.equal((await server.api(`POST ${base}/uploads`, { body: again })).status, 503);
    assert.equal((await server.api(`GET ${base}`)).status, 200);
    bucket.fail(undefined);
    assert.equal((await server.api(`GET ${base}/uploads/${id}`)).text, 'an attachment');
    assert.equal((await server.must(`GET ${base}/uploads`)).length, 1);

    await server.must(`DELETE ${base}/uploads/${id}`);
    assert.equal((await server.api(`GET ${base}/uploads/${id}`)).status, 404);
  });
});

it('an unusable bucket stops the start with an explanation', async () => {
  const bucket = await startS3Server('forge');
  const config = loadConfig(['--port', '0', '--data', await newFolder(), ...flags(bucket.endpoint, 'other')], {});
  await assert.rejects(startServer(config, createLogger({ logLevel: 'silent' })), {
    code: 'START_REFUSED',
    message: /^the bucket other cannot be used .*: check the settings that begin with HEARTH_S3_$/,
  });
  assert.throws(() => loadConfig(['--s3-access-key-id', 'x'], {}), /go together/);
});
