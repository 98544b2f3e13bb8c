import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { GitError } from '../../../../src/platform/git/process/command.ts';
import { forkRepository } from '../../../../src/platform/git/upkeep/fork.ts';
import { housekeep } from '../../../../src/platform/git/upkeep/housekeeping.ts';
import { WorkTree } from '../work-tree.ts';

const work = new WorkTree();
const git = (path: string, ...args: string[]) =>
  execFileSync('git', ['--git-dir', path, ...args], { stdio: ['pipe', 'pipe', 'pipe'] })
    .toString()
    .trim();
const forks = () => readdirSync(work.folder).filter((name) => name.startsWith('fork'));
let secret = '';

before(() => {
  for (let i = 0; i < 4; i++) work.commit({ [`f${i}`]: `${i}\n` });
  work.git('repack', '-adq');
  work.commit({ loose: 'loose\n' });
  work.git('tag', '-a', '-m', 'one', 'v1');
  work.git('update-ref', 'refs/merge-requests/1/head', 'HEAD~1');
  work.git('update-ref', 'refs/keep-around/x', 'HEAD~1');
  work.git('checkout', '-q', '-b', 'größe/ü');
  secret = work.commit({ secret: 's\n' });
  work.git('tag', 'on-side');
  work.git('checkout', '-q', 'main');
});
after(() => work.remove());

test('a fork contains branches and tags, but not the server refs', async () => {
  const fork = await forkRepository(work.repo, join(work.folder, 'fork-a.git'), { defaultBranch: 'main' });
  assert.deepEqual(git(fork.path, 'for-each-ref', '--format=%(refname)').split('\n'), [
    'refs/heads/größe/ü',
    'refs/heads/main',
    'refs/tags/on-side',
    'refs/tags/v1',
  ]);
  assert.equal(git(fork.path, 'rev-parse', 'HEAD'), work.git('rev-parse', 'main'));
  git(fork.path, 'fsck', '--strict');
  const [pack] = readdirSync(join(fork.path, 'objects/pack')).filter((name) => name.endsWith('.pack'));
  assert.equal(statSync(join(fork.path, 'objects/pack', pack ?? '')).nlink, 2, 'packs are shared on disk');
  assert.equal(existsSync(join(fork.path, 'objects/info/alternates')), false);
});

test('a fork survives its source, and its housekeeping does not affect the source', async () => {
  const first = await forkRepository(work.repo, join(work.folder, 'fork-b.git'), { defaultBranch: 'main' });
  const second = await forkRepository(first, join(work.folder, 'fork-c.git'), { defaultBranch: 'main' });
  git(first.path, 'update-ref', '-d', 'refs/heads/größe/ü');
  git(first.path, 'update-ref', '-d', 'refs/tags/on-side');
  for (const days of [0, 20, 40]) {
    await housekeep(first, { actions: ['full-repack', 'commit-graph'], now: Date.now() + days * 86_400_000 });
  }
  assert.throws(() => git(first.path, 'cat-file', '-e', secret));
  git(second.path, 'fsck', '--strict');
  git(second.path, 'cat-file', '-e', secret);
  rmSync(first.path, { recursive: true });
  git(second.path, 'fsck', '--strict');
  work.git('fsck', '--strict');
});

test('a fork of selected branches contains only their objects', async () => {
  const path = join(work.folder, 'fork-d.git');
  const fork = await forkRepository(work.repo, path, { defaultBranch: 'main', branches: ['main'] });
  assert.deepEqual(git(fork.path, 'for-each-ref', '--format=%(refname)').split('\n'), [
    'refs/heads/main',
    'refs/tags/v1',
  ]);
  assert.throws(() => git(fork.path, 'cat-file', '-e', secret));
  git(fork.path, 'fsck', '--strict');
  const missing = { defaultBranch: 'main', branches: ['nowhere'] };
  await assert.rejects(forkRepository(work.repo, join(work.folder, 'fork-e.git'), missing), GitError);
  assert.equal(
    forks().some((name) => name.startsWith('fork-e')),
    false,
  );
});

test('an empty repository can be forked, an existing path is rejected', async () => {
  const empty = new WorkTree();
  try {
    const fork = await forkRepository(empty.repo, join(work.folder, 'fork-f.git'), { defaultBranch: 'trunk' });
    assert.equal(git(fork.path, 'symbolic-ref', 'HEAD'), 'refs/heads/trunk');
    await assert.rejects(forkRepository(empty.repo, fork.path, { defaultBranch: 'x' }));
    assert.deepEqual(
      forks().filter((name) => name.includes('+')),
      [],
    );
  } finally {
    empty.remove();
  }
});

test('forking while the source is repacked misses no object', async () => {
  let copying = true;
  const runHousekeeping = async () => {
    for (let i = 0; copying; i++) {
      work.commit({ busy: `${i}\n` });
      await housekeep(work.repo, { actions: [i % 3 ? 'geometric-repack' : 'full-repack'] });
    }
  };
  const copy = async () => {
    try {
      for (let i = 0; i < 5; i++) {
        const fork = await forkRepository(work.repo, join(work.folder, `fork-busy-${i}.git`), {
          defaultBranch: 'main',
        });
        git(fork.path, 'fsck', '--strict', '--connectivity-only');
      }
    } finally {
      copying = false;
    }
  };
  await Promise.all([runHousekeeping(), copy()]);
});
