import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, afterEach, before, describe, test } from 'node:test';
import { armFault } from '../../../src/platform/faults.ts';
import { openLocalStorage } from '../../../src/platform/storage/local.ts';
import {
  FileMismatch,
  FileMissing,
  FileTooLarge,
  RangeUnsatisfiable,
  type Storage,
} from '../../../src/platform/storage/storage.ts';

let root: string;
let storage: Storage;
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'hearth-storage-'));
  storage = await openLocalStorage(join(root, 'files'));
});
after(() => rm(root, { recursive: true }));

// No test may leave incomplete files behind.
afterEach(async () => assert.deepEqual(await readdir(join(root, 'files/.incoming')), []));

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const streamOf = (...chunks: (string | Uint8Array)[]) => Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
const read = async (key: string, range?: { start: number; end?: number }) =>
  (await buffer((await storage.get(key, range)).stream)).toString();

describe('storage put', () => {
  test('stores a stream and returns its size and hash', async () => {
    const bytes = randomBytes(300_000);
    const stored = await storage.put('a/b/c', streamOf(bytes.subarray(0, 1000), bytes.subarray(1000)));
    assert.deepEqual(stored, { size: bytes.length, sha256: sha256(bytes) });
    assert.deepEqual(await storage.stat('a/b/c'), { size: bytes.length });
    const opened = await storage.get('a/b/c');
    assert.equal(opened.size, bytes.length);
    assert.deepEqual(await buffer(opened.stream), bytes);
  });

  test('stores an empty file', async () => {
    await storage.put('empty', streamOf());
    assert.deepEqual(await storage.stat('empty'), { size: 0 });
    assert.equal(await read('empty'), '');
  });

  test('replaces a file atomically; open readers still read the old one', async () => {
    await storage.put('replaced', streamOf('old'));
    const old = await storage.get('replaced');
    await storage.put('replaced', streamOf('new'));
    assert.equal((await buffer(old.stream)).toString(), 'old');
    assert.equal(await read('replaced'), 'new');
  });

  test('accepts a file that matches, with the hash in either case', async () => {
    const expected = { expectedSize: 3, expectedSha256: sha256(Buffer.from('abc')).toUpperCase(), maxSize: 3 };
    await storage.put('expected', streamOf('a', 'bc'), expected);
    assert.equal(await read('expected'), 'abc');
  });

  test('keeps the old file if the new one does not match', async () => {
    await storage.put('kept', streamOf('old'));
    for (const [expected, failure] of [
      [{ expectedSize: 2 }, FileMismatch],
      [{ expectedSize: 4 }, FileMismatch],
      [{ expectedSha256: '0'.repeat(64) }, FileMismatch],
      [{ maxSize: 2 }, FileTooLarge],
    ] as const) {
      await assert.rejects(storage.put('kept', streamOf('new'), expected), failure);
      assert.equal(await read('kept'), 'old');
    }
  });

  test('stops an endless stream at the limit and destroys it', async () => {
    let produced = 0;
    const endless = new Readable({
      read() {
        produced += 1;
        this.push(Buffer.alloc(65_536));
      },
    });
    await assert.rejects(storage.put('endless', endless, { maxSize: 1_000_000 }), FileTooLarge);
    assert.ok(endless.destroyed);
    assert.ok(produced < 100, `${produced} chunks were requested`);
    assert.equal(await storage.stat('endless'), undefined);
  });

  test('stores nothing of a failing or aborted stream', async () => {
    async function* broken() {
      yield Buffer.from('half');
      throw new Error('connection lost');
    }
    await assert.rejects(storage.put('broken', broken()), /connection lost/);
    assert.equal(await storage.stat('broken'), undefined);
    const left = new Readable({
      read() {
        if (!this.push('half')) this.destroy(new Error('the client left'));
      },
    });
    await assert.rejects(storage.put('broken', left), /the client left/);
    assert.equal(await storage.stat('broken'), undefined);
  });

  test('supports concurrent writes into the same new directory', async () => {
    const keys = Array.from({ length: 30 }, (_, index) => `many/${index % 3}/${index}`);
    await Promise.all(keys.map((key) => storage.put(key, streamOf(key))));
    for (const key of keys) assert.equal(await read(key), key);
  });

  test('recreates a directory that was removed', async () => {
    await storage.put('removed/a', streamOf('a'));
    await rm(join(root, 'files/removed'), { recursive: true });
    await storage.put('removed/b', streamOf('b'));
    assert.equal(await read('removed/b'), 'b');
  });

  test('keeps the old file if writing fails before the rename', async () => {
    await storage.put('faulty', streamOf('old'));
    const disarm = armFault('storage.written', () => {
      throw new Error('no space');
    });
    await assert.rejects(storage.put('faulty', streamOf('new')), /no space/);
    disarm();
    assert.equal(await read('faulty'), 'old');
  });
});

describe('storage get', () => {
  test('reads ranges', async () => {
    await storage.put('ranged', streamOf('0123456789'));
    for (const [range, expected] of [
      [{ start: 0 }, '0123456789'],
      [{ start: 3 }, '3456789'],
      [{ start: 2, end: 4 }, '234'],
      [{ start: 9, end: 9 }, '9'],
      [{ start: 5, end: 100 }, '56789'],
    ] as const) {
      assert.equal(await read('ranged', range), expected);
    }
    for (const range of [{ start: 10 }, { start: -1 }, { start: 4, end: 3 }]) {
      await assert.rejects(storage.get('ranged', range), (error: Error) => {
        assert.ok(error instanceof RangeUnsatisfiable);
        assert.equal(error.size, 10);
        return true;
      });
    }
  });

  test('rejects missing files, directories and symbolic links', async () => {
    await storage.put('folder/file', streamOf('x'));
    await writeFile(join(root, 'outside'), 'secret');
    await symlink(join(root, 'outside'), join(root, 'files/link'));
    for (const key of ['missing', 'missing/too', 'folder', 'folder/file/below']) {
      await assert.rejects(storage.get(key), FileMissing, key);
      assert.equal(await storage.stat(key), undefined);
    }
    await assert.rejects(storage.get('link'));
  });

  test('rejects keys outside the directory in every operation', async () => {
    const key = '../outside';
    await assert.rejects(storage.put(key, streamOf('x')), /not a storage key/);
    await assert.rejects(storage.get(key), /not a storage key/);
    await assert.rejects(storage.stat(key), /not a storage key/);
    await assert.rejects(storage.delete(key), /not a storage key/);
  });
});

test('delete removes a file and ignores a missing one', async () => {
  await storage.put('deleted', streamOf('x'));
  await storage.delete('deleted');
  assert.equal(await storage.stat('deleted'), undefined);
  await storage.delete('deleted');
});

describe('opening a storage', () => {
  const host = sha256(Buffer.from(hostname())).slice(0, 8);
  const deadPid = spawnSync(process.execPath, ['-e', '']).pid;

  test('deletes incomplete files of dead processes, but not of running ones', async () => {
    const directory = join(root, 'swept');
    const incoming = join(directory, '.incoming');
    await mkdir(incoming, { recursive: true });
    const files = {
      [`${host}.${deadPid}.x`]: false,
      [`${host}.${process.pid}.from-an-earlier-life`]: false,
      [`${host}.${process.ppid}.alive`]: true,
      'otherhost.1.recent': true,
      'otherhost.1.old': false,
    };
    for (const name of Object.keys(files)) await writeFile(join(incoming, name), 'half');
    await utimes(join(incoming, 'otherhost.1.old'), 0, 0);

    await openLocalStorage(directory);
    const expected = Object.keys(files).filter((name) => files[name]);
    assert.deepEqual((await readdir(incoming)).sort(), expected.sort());
  });

  test('does not disturb a file that is being written', async () => {
    const directory = join(root, 'twice');
    const first = await openLocalStorage(directory);
    const body = new Readable({ read() {} });
    body.push('one ');
    const put = first.put('file', body);
    await openLocalStorage(directory);
    body.push('two');
    body.push(null);
    assert.equal((await put).size, 7);
  });
});

for (const point of ['storage.written', 'storage.renamed']) {
  test(`after a kill at ${point} the file is complete or absent, and the next start cleans up`, async () => {
    const directory = join(root, `killed-${point}`);
    const module = new URL('../../../src/platform/storage/local.ts', import.meta.url).href;
    const script = `
      import { openLocalStorage } from ${JSON.stringify(module)};
      const storage = await openLocalStorage(${JSON.stringify(directory)});
      await storage.put('file', [Buffer.from('whole')]);
      console.log('not reached');`;
    const child = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      env: { ...process.env, HEARTH_FAULT: point },
      encoding: 'utf8',
    });
    assert.equal(child.signal, 'SIGKILL', child.stderr);
    const reopened = await openLocalStorage(directory);
    assert.deepEqual(await readdir(join(directory, '.incoming')), []);
    const found = await reopened.stat('file');
    assert.deepEqual(found, point === 'storage.renamed' ? { size: 5 } : undefined);
  });
}
