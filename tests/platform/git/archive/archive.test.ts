import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { lstatSync, mkdtempSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { type ArchiveFormat, type ArchiveQuery, archive } from '../../../../src/platform/git/archive/archive.ts';
import { readTar, writeTar } from '../../../../src/platform/git/archive/tar.ts';
import { formatLfsPointer, parseLfsPointer } from '../../../../src/platform/git/objects/lfs-pointer.ts';
import { GitError } from '../../../../src/platform/git/process/command.ts';
import { missing } from '../../../support/tools.ts';
import { WorkTree } from '../work-tree.ts';

const absent = { tar: false, 'tar.gz': false, 'tar.bz2': missing('bzip2'), zip: missing('unzip') } as const;
const formats = (['tar', 'tar.gz', 'tar.bz2', 'zip'] as const).filter((format) => !absent[format]);
const work = new WorkTree();
const top = 'proj-main-x';
const deep = `${'long-folder-name/'.repeat(14)}${'file'.repeat(30)}.txt`;
const noise = Buffer.alloc(600_000, 'some text that shrinks well ');
let commit = '';

before(() => {
  commit = work.commit({
    'a.txt': 'hello\n',
    empty: '',
    'run.sh': { executable: '#!/bin/sh\n' },
    link: { link: 'a.txt' },
    'docs/one.md': 'one\n',
    'docs/two.md': 'two\n',
    'docs2/x': 'x\n',
    'hidden/secret': 's\n',
    '.gitattributes': 'hidden export-ignore\nstamp export-subst\n',
    stamp: '$Format:%H$\n',
    'big.txt': noise,
    [deep]: 'deep\n',
    'ünï.txt': 'u\n',
    'media/pic.bin': formatLfsPointer({ oid: 'a'.repeat(64), size: 300_000 }),
  });
});
after(() => work.remove());

async function make(query: Partial<ArchiveQuery>): Promise<Buffer> {
  return buffer(await archive(work.repo, { commit, format: 'tar', topFolder: top, ...query }));
}

function unpack(bytes: Buffer, format: ArchiveFormat): string {
  const folder = mkdtempSync(join(work.folder, 'out-'));
  const file = join(folder, `archive.${format}`);
  writeFileSync(file, bytes);
  if (format === 'zip')
    execFileSync('unzip', ['-q', file, '-d', folder], { env: { ...process.env, LC_ALL: 'C.UTF-8' } });
  else execFileSync('tar', ['xf', file, '-C', folder]);
  return join(folder, top);
}

const list = (tar: Buffer) => {
  const names = execFileSync('tar', ['tf', '-', '--quoting-style=literal'], { input: tar }).toString().split('\n');
  return names.filter((name) => name !== '' && !name.endsWith('/')).map((name) => name.slice(top.length + 1));
};

test('every format contains the tree and is reproducible', async (context) => {
  for (const reason of Object.values(absent)) if (reason) context.diagnostic(reason);
  for (const format of formats) {
    const bytes = await make({ format });
    assert.ok(bytes.equals(await make({ format })), `${format} differs between two runs`);
    const root = unpack(bytes, format);
    assert.equal(readFileSync(join(root, 'a.txt'), 'utf8'), 'hello\n');
    assert.equal(readFileSync(join(root, 'stamp'), 'utf8'), `${commit}\n`);
    assert.equal(readFileSync(join(root, 'ünï.txt'), 'utf8'), 'u\n');
    assert.equal(readFileSync(join(root, deep), 'utf8'), 'deep\n');
    assert.ok(readFileSync(join(root, 'big.txt')).equals(noise));
    assert.equal(readlinkSync(join(root, 'link')), 'a.txt');
    assert.equal(statSync(join(root, 'run.sh')).mode & 0o100, 0o100);
    assert.equal(statSync(join(root, 'a.txt')).mode & 0o111, 0);
    assert.equal(statSync(join(root, 'empty')).size, 0);
    assert.throws(() => lstatSync(join(root, 'hidden')), `${format} contains an export-ignore path`);
    assert.equal(
      Math.floor(statSync(join(root, 'a.txt')).mtimeMs / 1000),
      Number(work.git('log', '-1', '--format=%ct', commit)),
    );
    rmSync(root, { recursive: true });
  }
});

test('tar output equals that of git archive, and the gzip header has no timestamp', async () => {
  const git = execFileSync('git', ['--git-dir', work.repo.path, 'archive', '--format=tar', `--prefix=${top}/`, commit]);
  assert.ok((await make({})).equals(git));
  const zipped = await make({ format: 'tar.gz' });
  assert.equal(zipped.readUInt32LE(4), 0);
  assert.ok(gunzipSync(zipped).equals(git));
  const rewritten = await buffer(Readable.from(writeTar(readTar(Readable.from([git])))));
  assert.ok(rewritten.equals(git), 'reading and writing the archive changed it');
});

test('archives can be limited to a path and exclude paths', async () => {
  assert.deepEqual(list(await make({ path: 'docs' })), ['docs/one.md', 'docs/two.md']);
  assert.deepEqual(list(await make({ path: 'docs/one.md' })), ['docs/one.md']);
  const names = list(await make({ excludePaths: ['docs', '/big.txt', 'long-folder-name/'] }));
  assert.deepEqual(
    names.filter((name) => /docs|big|long/.test(name)),
    ['docs2/x'],
  );
});

test('zip archives exclude paths', { skip: absent.zip }, async () => {
  const zip = unpack(await make({ format: 'zip', excludePaths: ['docs', 'media'] }), 'zip');
  assert.throws(() => lstatSync(join(zip, 'docs')));
  assert.equal(readFileSync(join(zip, 'docs2/x'), 'utf8'), 'x\n');
});

test('LFS pointers are replaced by their objects', async () => {
  const object = Buffer.alloc(300_000, 7);
  const requested: string[] = [];
  const replaceBlob: ArchiveQuery['replaceBlob'] = async (path, content) => {
    requested.push(path);
    const pointer = parseLfsPointer(content);
    return pointer && { size: pointer.size, content: Readable.from([object.subarray(0, 1000), object.subarray(1000)]) };
  };
  for (const format of formats) {
    const root = unpack(await make({ format, replaceBlob }), format);
    assert.ok(readFileSync(join(root, 'media/pic.bin')).equals(object), format);
    assert.ok(readFileSync(join(root, 'big.txt')).equals(noise), format);
  }
  assert.deepEqual([...new Set(requested)], ['media/pic.bin']);
  const unchanged = unpack(await make({ replaceBlob: async () => undefined }), 'tar');
  assert.equal(statSync(join(unchanged, 'media/pic.bin')).size, 131);
});

test('a failing replacement aborts the stream', async () => {
  for (const format of formats) {
    const replaceBlob = () => Promise.reject(new Error('storage is gone'));
    await assert.rejects(make({ format, replaceBlob }), /storage is gone/, format);
  }
});

test('unknown commits and paths fail before the first byte', async () => {
  await assert.rejects(make({ commit: 'f'.repeat(40) }), GitError);
  await assert.rejects(make({ path: 'nowhere' }), GitError);
  await assert.rejects(make({ path: '../..' }), GitError);
  await assert.rejects(make({ commit: '--remote=/' }), { name: 'GitArgumentError' });
  await assert.rejects(make({ path: '--output=/tmp/x' }), GitError);
});

test('a reader that stops early ends git', async () => {
  for (const format of formats) {
    const stream = await archive(work.repo, { commit, format, topFolder: top });
    for await (const _ of stream) break;
    assert.equal(stream.destroyed, true, format);
  }
  const controller = new AbortController();
  const stream = await archive(work.repo, { commit, format: 'tar', topFolder: top }, { signal: controller.signal });
  controller.abort();
  await assert.rejects(buffer(stream), GitError);
});
