import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { crc32 } from 'node:zlib';
import { defaultLimits } from '../../../src/access/limits/plan-limits.ts';
import { cursorsOf, directoryOf } from '../../../src/ci/artifacts/archive/directory.ts';
import {
  type MetadataEntry,
  maxEntries,
  metadataOf,
  readMetadata,
} from '../../../src/ci/artifacts/archive/metadata.ts';
import { openArchiveFile } from '../../../src/ci/artifacts/archive/reader.ts';
import { treeOf } from '../../../src/ci/artifacts/archive/tree.ts';
import { readDotenv } from '../../../src/ci/artifacts/dotenv.ts';
import { renamedInside, zipOf } from './zip.ts';

describe('dotenv report parser', () => {
  for (const [text, expected] of [
    ['A=1\nB=two words\n', { A: '1', B: 'two words' }],
    ['A=1\nA=2', { A: '2' }],
    ['A="quoted"\r\nB= \'  single\' \r\n', { A: '"quoted"', B: "'  single'" }],
    ['A =1=2\n', { A: '1=2' }],
    ['A=\n', { A: '' }],
    ['A=1\n\nB=2', 'Invalid Format'],
    ['# comment', 'Invalid Format'],
    ['\n', 'Invalid Format'],
    ['1A=x', { '1A': 'x' }],
    ['', {}],
    ['A B=x', "Validation failed: Key can contain only letters, digits and '_'."],
    ['=x', "Validation failed: Key can't be blank, Key can contain only letters, digits and '_'."],
    [`A=${'x'.repeat(5120)}`, 'Dotenv Artifact Too Big. Maximum Allowable Size: 5120'],
    [Array.from({ length: 21 }, (_, at) => `K${at}=v`).join('\n'), 'Dotenv files cannot have more than 20 variables'],
  ] as const) {
    it(JSON.stringify(text.slice(0, 30)), () => {
      const read = readDotenv(text, defaultLimits);
      assert.deepEqual('problem' in read ? read.problem : Object.fromEntries(read.variables), expected);
    });
  }
});

describe('archive metadata', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hearth-zip-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  async function listed(bytes: Buffer): Promise<MetadataEntry[]> {
    const path = join(folder, 'a.zip');
    await writeFile(path, bytes);
    const archive = await openArchiveFile(path);
    const packed = await metadataOf(archive);
    archive.close();
    assert.ok(packed);
    return Array.fromAsync(readMetadata(packed));
  }

  it('lists every path in byte order, with the parent folders', async () => {
    const entries = await listed(await zipOf({ 'b/c/d.txt': 'four', 'a.txt': 'a', 'empty/': '' }));
    assert.deepEqual(
      entries.map(({ path, size }) => [path, size]),
      [
        ['a.txt', 1],
        ['b/', 0],
        ['b/c/', 0],
        ['b/c/d.txt', 4],
        ['empty/', 0],
      ],
    );
    assert.equal(entries[0]?.mode, 0o644);
    assert.equal(entries[1]?.mode, undefined);
  });

  it('omits unsafe paths', async () => {
    const honest = await zipOf({ 'xx/evil.txt': 'e', xabsolute: 'e', 'good.txt': 'g', 'a/xx/b': 'e' });
    const forged = renamedInside(
      renamedInside(renamedInside(honest, 'xx/evil', '../evil'), 'xabsolute', '/absolute'),
      'a/xx/b',
      'a/../b',
    );
    assert.deepEqual(
      (await listed(forged)).map(({ path }) => path),
      ['good.txt'],
    );
  });

  it('rejects files that are not archives', async () => {
    const path = join(folder, 'b.zip');
    const whole = await zipOf({ a: 'a'.repeat(1000) });
    for (const bytes of [Buffer.from('not a zip'), Buffer.alloc(0), whole.subarray(0, whole.length - 30)]) {
      await writeFile(path, bytes);
      await assert.rejects(async () => openArchiveFile(path));
    }
  });

  it('is not created for too many entries', async () => {
    const list = await metadataOf({ entryCount: maxEntries + 1, async *entries() {} });
    assert.equal(list, undefined);
  });

  it('lists folders first, or everything recursively', async () => {
    const bytes = await zipOf({ 'z/1': '1', 'a.txt': 'a', 'z/y/2': '22' });
    const tree = async (path: string, recursive = false) => {
      const source = (async function* () {
        yield* await listed(bytes);
      })();
      return treeOf(source, path, recursive);
    };
    assert.deepEqual(await tree(''), [
      { name: 'z', path: 'z/', type: 'directory', mode: '040755' },
      { name: 'a.txt', path: 'a.txt', type: 'file', size: 1, mode: '100644' },
    ]);
    for (const path of ['z', 'z/', './z'])
      assert.deepEqual(
        (await tree(path))?.map(({ path: one }) => one),
        ['z/y/', 'z/1'],
      );
    assert.deepEqual(
      (await tree('', true))?.map(({ path }) => path),
      ['a.txt', 'z/', 'z/1', 'z/y/', 'z/y/2'],
    );
    for (const path of ['nowhere', 'a.txt', '../z']) assert.equal(await tree(path), undefined, path);
  });
});

describe('archive directory index', () => {
  const paths = Array.from({ length: 500 }, (_, index) => `folder/${index % 250}`);
  // These two paths have the same CRC-32.
  const [one, other] = ['plumless', 'buckeroo'];
  const allPaths = [...paths, one, other];
  const directory = directoryOf(
    allPaths.map((path) => crc32(path)),
    allPaths.map((_, index) => index * 50),
  );

  it('returns every candidate position of a path in order', () => {
    assert.deepEqual(cursorsOf(directory, 'folder/7'), [350, 12_850]);
    assert.equal(crc32(one), crc32(other));
    assert.deepEqual(cursorsOf(directory, one), [25_000, 25_050]);
    assert.deepEqual(cursorsOf(directory, 'none'), []);
    assert.deepEqual(cursorsOf(directoryOf([], []), 'none'), []);
  });
});
