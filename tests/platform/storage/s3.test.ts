import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { before, test } from 'node:test';
import { openS3Storage } from '../../../src/platform/storage/s3.ts';
import {
  FileMismatch,
  FileMissing,
  FileTooLarge,
  RangeUnsatisfiable,
  type Storage,
  StorageUnavailable,
} from '../../../src/platform/storage/storage.ts';
import { type S3Server, s3Account, startS3Server } from '../../support/s3-server.ts';

let server: S3Server;
let storage: Storage;
const open = (bucket = 'files', credentials = s3Account) =>
  openS3Storage({ bucket, endpoint: server.endpoint, region: 'eu-test-1', credentials, prefix: 'hearth/' });
before(async () => {
  server = await startS3Server('files');
  storage = await open();
});

const digestOf = (content: Buffer) => createHash('sha256').update(content).digest('hex');
const streamOf = (content: Buffer) => Readable.from([content.subarray(0, 5), content.subarray(5)]);

for (const size of [0, 10, 8 * 1024 * 1024, 20 * 1024 * 1024 + 7]) {
  test(`stores a file of ${size} bytes and returns it or ranges of it`, async () => {
    const content = randomBytes(size);
    const key = `uploads/of-${size}`;
    assert.deepEqual(await storage.put(key, streamOf(content)), { size, sha256: digestOf(content) });
    assert.deepEqual(
      [...server.objects.keys()].filter((name) => name.endsWith(`-${size}`)),
      [`hearth/${key}`],
    );
    assert.deepEqual(await storage.stat(key), { size });
    const whole = await storage.get(key);
    assert.equal(whole.size, size);
    assert.ok((await buffer(whole.stream)).equals(content));
    if (size < 8) return;
    const part = await storage.get(key, { start: 2, end: 6 });
    assert.equal(part.size, size);
    assert.ok((await buffer(part.stream)).equals(content.subarray(2, 7)));
    const tail = await storage.get(key, { start: size - 3 });
    assert.ok((await buffer(tail.stream)).equals(content.subarray(-3)));
  });
}

test('a range outside the file is rejected with the file size', async () => {
  await storage.put('ranges', streamOf(Buffer.from('0123456789')));
  for (const range of [{ start: 10 }, { start: 5, end: 4 }, { start: -1 }]) {
    await assert.rejects(
      storage.get('ranges', range),
      (error) => error instanceof RangeUnsatisfiable && error.size === 10,
    );
  }
});

for (const size of [9, 20 * 1024 * 1024]) {
  test(`a file of ${size} bytes that does not match is not stored, and leaves no parts`, async () => {
    const content = randomBytes(size);
    const wrong = digestOf(Buffer.from('another'));
    const key = `wrong/${size}`;
    await assert.rejects(storage.put(key, streamOf(content), { expectedSha256: wrong }), FileMismatch);
    await assert.rejects(storage.put(key, streamOf(content), { expectedSize: size + 1 }), FileMismatch);
    await assert.rejects(storage.put(key, streamOf(content), { expectedSize: size - 1 }), FileMismatch);
    await assert.rejects(storage.put(key, streamOf(content), { maxSize: size - 1 }), FileTooLarge);
    const broken = async function* () {
      yield content;
      throw new Error('the client went away');
    };
    await assert.rejects(storage.put(key, broken()), /the client went away/);
    assert.equal(await storage.stat(key), undefined);
    assert.equal(server.unfinished.size, 0);
    await assert.rejects(storage.get(key), FileMissing);
  });
}

test('files are replaced atomically, and deleting a missing one is ignored', async () => {
  await storage.put('twice', streamOf(Buffer.from('the first')));
  await storage.put('twice', streamOf(Buffer.from('the second')));
  assert.equal((await buffer((await storage.get('twice')).stream)).toString(), 'the second');
  await storage.delete('twice');
  await storage.delete('twice');
  assert.equal(await storage.stat('twice'), undefined);
});

test('invalid keys are rejected', async () => {
  for (const key of ['../a', '/a', 'A', 'a//b']) {
    await assert.rejects(storage.put(key, streamOf(Buffer.from('x'))), /not a storage key/);
    await assert.rejects(storage.get(key), /not a storage key/);
  }
});

test('a missing bucket, wrong credentials and server errors are reported as unavailable', async () => {
  await assert.rejects(open('other'), StorageUnavailable);
  await assert.rejects(open('files', { ...s3Account, secretAccessKey: 'guessed' }), StorageUnavailable);
  await storage.put('steady', streamOf(Buffer.from('here all along')));
  server.fail(403);
  await assert.rejects(storage.stat('steady'), StorageUnavailable);
  await assert.rejects(storage.get('steady'), StorageUnavailable);
  await assert.rejects(storage.put('steady', streamOf(Buffer.from('new'))), StorageUnavailable);
  await assert.rejects(storage.delete('steady'), StorageUnavailable);
  server.fail(undefined);
  assert.equal((await buffer((await storage.get('steady')).stream)).toString(), 'here all along');
});
