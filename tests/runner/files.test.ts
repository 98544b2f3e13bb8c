import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { gzipFiles, selectFiles, unzipInto, zipFiles } from '../../src/runner/files.ts';
import { renamedInside, zipOf } from '../ci/artifacts/zip.ts';

describe('files of a job', () => {
  let root: string;
  let tree: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'hearth-runner-files-'));
    tree = join(root, 'tree');
    for (const folder of ['out/deep', '.git', 'other']) await mkdir(join(tree, folder), { recursive: true });
    for (const file of ['out/a.txt', 'out/b.tmp', 'out/deep/c.txt', '.git/config', 'other/d']) {
      await writeFile(join(tree, file), file);
    }
    await writeFile(join(root, 'outside'), 'outside');
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  it('are selected by paths and patterns, never from outside the folder', async () => {
    assert.deepEqual(await selectFiles(tree, ['out/'], ['out/*.tmp']), [
      'out',
      'out/a.txt',
      'out/deep',
      'out/deep/c.txt',
    ]);
    assert.deepEqual(await selectFiles(tree, ['out/**/*.txt']), ['out/a.txt', 'out/deep/c.txt']);
    assert.deepEqual(await selectFiles(tree, ['*.none', 'nothing/']), []);
    assert.deepEqual(await selectFiles(tree, ['../outside', '/etc/passwd', '../*']), []);
    assert.equal(
      (await selectFiles(tree, ['.'])).some((path) => path.startsWith('.git')),
      false,
    );
  });

  it('are packed and unpacked unchanged', async () => {
    await symlink('a.txt', join(tree, 'out', 'link'));
    const archive = join(root, 'a.zip');
    await zipFiles(tree, await selectFiles(tree, ['out']), archive);
    const into = join(root, 'into');
    await mkdir(into);
    await unzipInto(archive, into);
    assert.equal(await readFile(join(into, 'out/deep/c.txt'), 'utf8'), 'out/deep/c.txt');
    assert.equal(await readlink(join(into, 'out/link')), 'a.txt');
    await gzipFiles(tree, ['out/a.txt', 'other/d'], join(root, 'b.gz'));
    assert.equal(gunzipSync(await readFile(join(root, 'b.gz'))).toString(), 'out/a.txtother/d');
  });

  it('are not unpacked outside the folder', async () => {
    const archive = join(root, 'evil.zip');
    await writeFile(archive, renamedInside(await zipOf({ 'xx/evil': 'e' }), 'xx/evil', '../evil'));
    await assert.rejects(async () => unzipInto(archive, tree));
    await symlink(root, join(tree, 'way-out'));
    await writeFile(archive, await zipOf({ 'way-out/evil': 'e' }));
    await assert.rejects(async () => unzipInto(archive, tree), /outside/);
    await assert.rejects(async () => stat(join(root, 'evil')));
  });
});
