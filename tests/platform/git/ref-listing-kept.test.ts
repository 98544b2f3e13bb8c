import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { run } from '../../../src/platform/git/command.ts';
import { createCommit } from '../../../src/platform/git/commit-write.ts';
import { createGit, type Git } from '../../../src/platform/git/git.ts';
import { RefFiles } from '../../../src/platform/git/ref-list.ts';
import type { Repository } from '../../../src/platform/git/repository.ts';
import { EMPTY_TREE } from '../../../src/platform/git/tree.ts';

const root = mkdtempSync(join(tmpdir(), 'hearth-refs-'));
let git: Git;
let repo: Repository;
let commit: string;
let other: string;
after(() => {
  git.close();
  rmSync(root, { recursive: true, force: true });
});

before(async () => {
  git = createGit({ root });
  repo = await git.create(1, { defaultBranch: 'main' });
  const writer = git.writer(repo);
  const identity = { name: 'a', email: 'a@b.c', seconds: 1, zone: 0 };
  await writer.add('tree', Buffer.alloc(0));
  const base = { tree: EMPTY_TREE, parents: [], author: identity, committer: identity };
  commit = await createCommit(writer, { ...base, message: 'one' });
  other = await createCommit(writer, { ...base, message: 'two' });
  await writer.flush();
});

// Far ahead of the files, as if they had not changed for an hour.
const later = () => Date.now() + 3_600_000;
const asked = () => git.counters().readers.requests;
const set = (ref: string, value: string | null) => git.updateRefs(repo, [{ ref, new: value }]);

describe('a list of refs that is kept', () => {
  it('is read once while nothing changes', async () => {
    const files = new RefFiles(later);
    await set('refs/heads/main', commit);
    await set('refs/heads/topic/a', commit);
    const first = await files.list(git.objects(repo), 'refs/heads/');
    const before = asked();
    assert.deepEqual(await files.list(git.objects(repo), 'refs/heads/'), first);
    assert.equal(asked(), before);
  });

  it('shows every change: moved, made, nested, packed, deleted', async () => {
    const files = new RefFiles(later);
    const check = async () => {
      const listed = await files.list(git.objects(repo), 'refs/heads/');
      const { stdout } = await run(repo, {
        name: 'for-each-ref',
        flags: ['--format=%(objectname) %(refname)'],
        args: ['refs/heads/'],
      });
      assert.deepEqual(
        listed.map(({ name, oid }) => `${oid} ${name}`),
        stdout.toString().split('\n').filter(Boolean),
      );
    };
    await check();
    for (const change of [
      () => set('refs/heads/main', other),
      () => set('refs/heads/topic/a', other),
      () => set('refs/heads/topic/deep/er', commit),
      () => run(repo, { name: 'pack-refs', flags: ['--all', '--prune'] }),
      () => set('refs/heads/topic/a', commit),
      () => set('refs/heads/topic/a', null),
      () => set('refs/heads/topic/deep/er', null),
      () => set('refs/heads/topic', commit),
    ]) {
      await change();
      await check();
      await check();
    }
  });

  it('is not kept while the clock of the files could hide a change', async () => {
    const files = new RefFiles();
    await set('refs/heads/fresh', commit);
    await files.list(git.objects(repo), 'refs/heads/');
    const before = asked();
    await files.list(git.objects(repo), 'refs/heads/');
    assert.ok(asked() > before);
  });

  it('cannot be spoiled by those who get it', async () => {
    const files = new RefFiles(later);
    const list = await files.list(git.objects(repo), 'refs/heads/');
    const size = list.length;
    list.length = 0;
    assert.equal((await files.list(git.objects(repo), 'refs/heads/')).length, size);
  });

  it('begins with nothing', async () => {
    const files = new RefFiles(later);
    assert.deepEqual(await files.list(git.objects(repo), 'refs/tags/'), []);
    await set('refs/tags/v1', commit);
    assert.equal((await files.list(git.objects(repo), 'refs/tags/')).length, 1);
  });
});
