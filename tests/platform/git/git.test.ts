import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { createGit } from '../../../src/platform/git/git.ts';
import type { Repository } from '../../../src/platform/git/repository.ts';
import { removeStaleLocks } from '../../../src/platform/git/upkeep/sweep.ts';
import { commitFile } from './committing.ts';
import { stockGit } from './work-tree.ts';

const root = await mkdtemp(join(tmpdir(), 'hearth-git-'));
const git = createGit({ root });
after(async () => {
  git.close();
  await rm(root, { recursive: true, force: true });
});

const historyOf = (repo: Repository) => stockGit(repo, ['rev-list', 'main']).split('\n');

describe('git', () => {
  it('serves a repository from creation to deletion', async () => {
    const repo = await git.create('one', { defaultBranch: 'main' });
    assert.deepEqual(git.repository('one'), repo);
    assert.equal(await git.resolve(repo, 'HEAD'), null, 'unborn');
    assert.deepEqual(await git.listRefs(repo, 'refs/'), []);
    const { oid } = await commitFile(git, repo, 'a/b.txt');
    assert.deepEqual(await git.resolve(repo, 'main'), { commit: oid, ref: 'refs/heads/main' });
    const [commit] = await git.commits(repo, { tips: [oid], limit: 20 });
    const entry = await git.objects(repo).entryAt(commit?.tree ?? '', 'a/b.txt');
    assert.equal((await git.objects(repo).blob(entry?.oid ?? ''))?.toString(), 'a/b.txt\n');
    assert.ok(git.counters().readers.requests > 0);
    await git.remove(repo);
    await assert.rejects(git.readRef(repo, 'refs/heads/main'), { name: 'GitError' });
    await git.create('one', { defaultBranch: 'main' });
    assert.equal(await git.objects(repo).commit(oid), null, 'cached objects of the deleted repository are not visible');
  });

  it('loses no commit when eight writers compete for one branch', async () => {
    const repo = await git.create('race', { defaultBranch: 'main' });
    // Two servers on one repository: their ref writers contend for git's locks.
    const other = createGit({ root });
    const writers = Array.from({ length: 8 }, async (_, w) => {
      const oids: string[] = [];
      for (let i = 0; i < 6; i++) oids.push((await commitFile(w % 2 ? git : other, repo, `w${w}/f${i}`)).oid);
      return oids;
    });
    const committed = (await Promise.all(writers)).flat();
    other.close();
    const history = historyOf(repo);
    assert.equal(history.length, 48);
    assert.deepEqual(new Set(history), new Set(committed));
    assert.equal(stockGit(repo, ['ls-tree', '-r', '--name-only', 'main']).split('\n').length, 48);
    stockGit(repo, ['fsck', '--strict', '--full']);
  });

  it('keeps every acknowledged commit when writers are killed', async () => {
    const repo = await git.create('killed', { defaultBranch: 'main' });
    const acknowledged: string[] = [];
    for (let round = 0; round < 6; round++) {
      const both = [0, 1].map((n) => killedWriter(repo.path, `r${round}n${n}`, 2 + 3 * round));
      acknowledged.push(...(await Promise.all(both)).flat());
      stockGit(repo, ['fsck', '--strict', '--full']);
    }
    const history = new Set(historyOf(repo));
    assert.deepEqual(
      acknowledged.filter((oid) => !history.has(oid)),
      [],
    );
    // A killed writer may leave a lock behind; once it is removed, the branch can be updated again.
    await removeStaleLocks(repo, 0);
    await commitFile(git, repo, 'after');
    stockGit(repo, ['fsck', '--strict', '--full']);
  });
});

/** Starts a process that commits, kills it after this many commits, and returns the acknowledged ones. */
async function killedWriter(path: string, label: string, commits: number): Promise<string[]> {
  const script = join(import.meta.dirname, 'committing.ts');
  const child = spawn(process.execPath, [script, path, label], { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
    if (printed.split('\n').length > commits) child.kill('SIGKILL');
  });
  await once(child, 'close');
  return printed.split('\n').slice(0, -1);
}
