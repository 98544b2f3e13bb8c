import assert from 'node:assert/strict';
import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { createGit } from '../../../../src/platform/git/git.ts';
import { bloomPositionsOf, mayContainPath, murmur3 } from '../../../../src/platform/git/history/changed-paths.ts';
import { lastCommitOf } from '../../../../src/platform/git/history/path-history.ts';
import { WorkTree } from '../work-tree.ts';
import { paths, tangled } from './tangled.ts';

describe('the last commit of a path', () => {
  const work = new WorkTree();
  const git = createGit({ root: work.folder });
  const started = () => git.counters().processes.work.started;
  const record = (...flags: string[]) =>
    work.git('commit-graph', 'write', '--reachable', '--changed-paths', '--no-progress', ...flags);
  after(() => {
    git.close();
    work.remove();
  });

  it('is the one that git finds in a tangled history', async () => {
    const ids = tangled(work, 90);
    const objects = git.objects(work.repo);
    for (const id of ids.filter((_, i) => i % 6 === 5)) {
      for (const path of paths) {
        const expected = work.gitWith({ env: { GIT_LITERAL_PATHSPECS: '1' } }, 'rev-list', '-1', id, '--', path);
        assert.equal((await lastCommitOf(objects, id, path)) ?? '', expected, `${path} at ${id}`);
      }
    }
  });

  it('is the same with a commit-graph of one or several layers', async () => {
    for (const [size, flags] of [
      [200, ['--split=replace']],
      [260, ['--split=no-merge']],
    ] as const) {
      const ids = tangled(work, size);
      record(...flags);
      // Some commits are not in the graph.
      ids.push(...tangled(work, size + 8).slice(size));
      const other = createGit({ root: work.folder });
      const objects = other.objects(work.repo);
      for (const id of ids.filter((_, i) => i % 17 === 16 || i >= size)) {
        for (const path of [...paths].reverse()) {
          const expected = work.gitWith({ env: { GIT_LITERAL_PATHSPECS: '1' } }, 'rev-list', '-1', id, '--', path);
          assert.equal((await lastCommitOf(objects, id, path)) ?? '', expected, `${path} at ${id}`);
        }
      }
      other.close();
    }
  });

  it('is found far back without a process in the commit-graph, and with a process if the graph is damaged', async () => {
    const commits = Array.from(
      { length: 600 },
      (_, i) =>
        `commit refs/heads/recorded\ncommitter A <a@x> ${1_720_000_000 + i} +0000\ndata 1\nx\nM 100644 inline ${
          i === 0 ? 'deep/down/old.txt' : `deep/f${i % 50}`
        }\ndata 3\n${100 + i}\n\n`,
    ).join('');
    work.gitWith({ input: commits }, 'fast-import', '--quiet', '--force');
    record('--split=replace');
    const [tip, root] = [work.git('rev-parse', 'recorded'), work.git('rev-list', '--max-parents=0', 'recorded')];
    const objects = git.objects(work.repo);
    const before = started();
    assert.equal(await lastCommitOf(objects, tip, 'deep/down/old.txt'), root);
    assert.equal(await lastCommitOf(objects, tip, 'deep/f7'), work.git('rev-list', '-1', tip, '--', 'deep/f7'));
    assert.equal(await lastCommitOf(objects, tip, 'deep/none'), null);
    assert.equal(started(), before);
    const graphs = join(work.repo.path, 'objects/info/commit-graphs');
    const chain = (await readFile(join(graphs, 'commit-graph-chain'), 'utf8')).trim();
    await chmod(join(graphs, `graph-${chain}.graph`), 0o600);
    await writeFile(join(graphs, `graph-${chain}.graph`), 'CGPH');
    const other = createGit({ root: work.folder });
    assert.equal(await lastCommitOf(other.objects(work.repo), tip, 'deep/down/old.txt'), root);
    other.close();
    await rm(graphs, { recursive: true });
  });

  it('is found far back without a commit-graph, also for names that are not UTF-8', async () => {
    const odd = Buffer.from('caf\xe9', 'latin1');
    const commit = (n: number, change: Buffer) =>
      Buffer.concat([
        Buffer.from(`commit refs/heads/long\nmark :${n}\ncommitter A <a@x> ${1_700_000_000 + n} +0000\ndata 1\nx\n`),
        Buffer.from(n === 1 ? '' : `from :${n - 1}\n`),
        change,
        Buffer.from('\n'),
      ]);
    const first = Buffer.concat([
      Buffer.from('M 100644 inline "'),
      odd,
      Buffer.from('"\ndata 1\n1\nM 100644 inline old\ndata 1\n1\n'),
    ]);
    const input = Array.from({ length: 150 }, (_, i) =>
      commit(i + 1, i === 0 ? first : Buffer.from(`M 100644 inline busy\ndata 3\n${100 + i}\n`)),
    );
    work.gitWith({ input: Buffer.concat(input) }, 'fast-import', '--quiet', '--force');
    const tip = work.git('rev-parse', 'long');
    const root = work.git('rev-list', '--max-parents=0', 'long');
    const objects = git.objects(work.repo);
    assert.equal(await lastCommitOf(objects, tip, 'old'), root);
    assert.equal(await lastCommitOf(objects, tip, 'caf\u00e9'), root);
    assert.equal(await lastCommitOf(objects, tip, 'busy'), tip);
    assert.equal(await lastCommitOf(objects, tip, 'gone'), null);
  });

  it('is known from an older commit when later ones did not touch the path', async () => {
    const commit = (n: number, file: string) =>
      `commit refs/heads/next\nmark :${n}\ncommitter A <a@x> ${1_710_000_000 + n} +0000\ndata 1\nx\n${
        n === 1 ? '' : `from :${n - 1}\n`
      }M 100644 inline ${file}\ndata 3\n${100 + n}\n\n`;
    const input = Array.from({ length: 60 }, (_, i) => commit(i + 1, i === 0 ? 'dir/old' : 'busy')).join('');
    work.gitWith({ input }, 'fast-import', '--quiet', '--force');
    const objects = git.objects(work.repo);
    const root = work.git('rev-list', '--max-parents=0', 'next');
    const before = started();
    assert.equal(await lastCommitOf(objects, work.git('rev-parse', 'next~1'), 'dir/old'), root);
    assert.equal(started(), before + 1);
    assert.equal(await lastCommitOf(objects, work.git('rev-parse', 'next'), 'dir/old'), root);
    assert.equal(started(), before + 1);
  });
});

describe('changed-path filters', () => {
  it('use the same hash as git', () => {
    for (const [text, hash] of [
      ['', 0],
      ['Hello world!', 0x627b0c2c],
      ['The quick brown fox jumps over the lazy dog', 0x2e4ff723],
    ] as const) {
      assert.equal(murmur3(Buffer.from(text), 0), hash);
    }
  });

  it('have positions for a path and its parent folders, and none for non-ASCII names', () => {
    assert.equal(bloomPositionsOf('a/b/c')?.length, 3);
    for (const path of ['caf\u00e9', 'a//b', '/a', 'a/', '']) assert.equal(bloomPositionsOf(path), undefined, path);
  });

  it('match everything for a large change and nothing for an empty one', () => {
    const marks = bloomPositionsOf('a/b') ?? [];
    assert.equal(mayContainPath(Uint8Array.of(0xff), marks, { hashes: 7 }), true);
    assert.equal(mayContainPath(Uint8Array.of(0), marks, { hashes: 7 }), false);
  });
});
