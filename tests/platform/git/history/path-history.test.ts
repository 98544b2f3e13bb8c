import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createGit } from '../../../../src/platform/git/git.ts';
import { lastCommitOf } from '../../../../src/platform/git/history/path-history.ts';
import { WorkTree } from '../work-tree.ts';

const paths = ['a', 'b', 'd/x', 'd/y', 'd/e/z', 'd', 'd/e', 'never', '*', 'a/b'];

/** Merges of up to three parents, files that come and go, and files that become folders. */
function history(work: WorkTree, size: number): string[] {
  let state = 7;
  const next = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >> 8) % below;
  };
  let input = '';
  for (let i = 1; i <= size; i++) {
    const parents = new Set<number>();
    for (let p = 0; p < (i === 1 ? 0 : ([1, 1, 1, 2, 3][next(5)] ?? 1)); p++) parents.add(Math.max(1, i - 1 - next(4)));
    const [from, ...merges] = parents;
    input += `reset refs/heads/c${i}\n\ncommit refs/heads/c${i}\nmark :${i}\ncommitter A <a@x> ${1_600_000_000 + i} +0000\ndata 1\nx\n`;
    if (from) input += `from :${from}\n`;
    for (const parent of merges) input += `merge :${parent}\n`;
    if (merges.length === 0 || next(3) === 0) {
      const path = paths[next(paths.length - 3)];
      input += next(4) === 0 ? `D ${path}\n` : `M 100644 inline ${path}\ndata 1\n${next(3)}\n`;
    }
    input += '\n';
  }
  work.gitWith({ input }, 'fast-import', '--quiet', '--force');
  return Array.from({ length: size }, (_, i) => work.git('rev-parse', `refs/heads/c${i + 1}`));
}

describe('the last commit of a path', () => {
  const work = new WorkTree();
  const git = createGit({ root: work.folder });
  after(() => {
    git.close();
    work.remove();
  });

  it('is the one that git finds, in every corner of a tangled history', async () => {
    const ids = history(work, 90);
    const objects = git.objects(work.repo);
    for (const id of ids.filter((_, i) => i % 6 === 5)) {
      for (const path of paths) {
        const expected = work.gitWith({ env: { GIT_LITERAL_PATHSPECS: '1' } }, 'rev-list', '-1', id, '--', path);
        assert.equal((await lastCommitOf(objects, id, path)) ?? '', expected, `${path} at ${id}`);
      }
    }
  });

  it('is found far back as well, by names that are no UTF-8 too', async () => {
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

  it('is known from older commits after one that did not touch it', async () => {
    const commit = (n: number, file: string) =>
      `commit refs/heads/next\nmark :${n}\ncommitter A <a@x> ${1_710_000_000 + n} +0000\ndata 1\nx\n${
        n === 1 ? '' : `from :${n - 1}\n`
      }M 100644 inline ${file}\ndata 3\n${100 + n}\n\n`;
    const input = Array.from({ length: 60 }, (_, i) => commit(i + 1, i === 0 ? 'dir/old' : 'busy')).join('');
    work.gitWith({ input }, 'fast-import', '--quiet', '--force');
    const objects = git.objects(work.repo);
    const root = work.git('rev-list', '--max-parents=0', 'next');
    const started = () => git.counters().processes.work.started;
    const before = started();
    assert.equal(await lastCommitOf(objects, work.git('rev-parse', 'next~1'), 'dir/old'), root);
    assert.equal(started(), before + 1);
    assert.equal(await lastCommitOf(objects, work.git('rev-parse', 'next'), 'dir/old'), root);
    assert.equal(started(), before + 1);
  });
});
