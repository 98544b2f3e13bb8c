import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createGit, type Git } from '../../../../src/platform/git/git.ts';
import { createCommit } from '../../../../src/platform/git/objects/commit-write.ts';
import { run } from '../../../../src/platform/git/process/command.ts';
import { RefFiles } from '../../../../src/platform/git/refs/list.ts';
import { PackedRefs } from '../../../../src/platform/git/refs/packed-refs.ts';
import { RefReader } from '../../../../src/platform/git/refs/reader.ts';
import type { Repository } from '../../../../src/platform/git/repository.ts';
import { EMPTY_TREE } from '../../../../src/platform/git/trees/tree.ts';
import { until } from '../../../support/until.ts';
import { stockGit } from '../work-tree.ts';

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

// Far in the future, as if the files had not changed for an hour.
const later = () => Date.now() + 3_600_000;
// In the past, as if the files had changed at this moment.
const atOnce = () => started;
const started = Date.now();
// Unlike git, writes in place without a detectable change, so that only a new read sees it.
const setInPlace = (ref: string, value: string) => writeFileSync(join(repo.path, ref), `${value}\n`);
const set = (ref: string, value: string | null) => git.updateRefs(repo, [{ ref, new: value }]);

/** Waits until a change gets a new timestamp. */
function tick(): Promise<void> {
  const touched = () => {
    writeFileSync(join(root, 'touched'), '');
    return statSync(join(root, 'touched')).mtimeMs;
  };
  const before = touched();
  return until(() => touched() !== before);
}

describe('cached list of refs', () => {
  it('is read once while nothing changes', async () => {
    const files = new RefFiles(later);
    await set('refs/heads/main', commit);
    await set('refs/heads/topic/a', commit);
    const first = await files.list(git.objects(repo), 'refs/heads/');
    setInPlace('refs/heads/main', other);
    assert.deepEqual(await files.list(git.objects(repo), 'refs/heads/'), first);
    setInPlace('refs/heads/main', commit);
  });

  it('shows refs that are updated, created, nested, packed or deleted', async () => {
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
      await tick();
      await change();
      await check();
      await check();
    }
  });

  it('is not cached while the file timestamps could hide a change', async () => {
    const files = new RefFiles(atOnce);
    await set('refs/heads/fresh', commit);
    await files.list(git.objects(repo), 'refs/heads/');
    setInPlace('refs/heads/fresh', other);
    const now = await files.list(git.objects(repo), 'refs/heads/');
    assert.equal(now.find(({ name }) => name === 'refs/heads/fresh')?.oid, other);
  });

  it('is not affected by changes to a returned array', async () => {
    const files = new RefFiles(later);
    const list = await files.list(git.objects(repo), 'refs/heads/');
    const size = list.length;
    list.length = 0;
    assert.equal((await files.list(git.objects(repo), 'refs/heads/')).length, size);
  });

  it('is empty at first and then shows a new ref', async () => {
    const files = new RefFiles(later);
    assert.deepEqual(await files.list(git.objects(repo), 'refs/tags/'), []);
    await set('refs/tags/v1', commit);
    assert.equal((await files.list(git.objects(repo), 'refs/tags/')).length, 1);
  });
});

describe('reading one ref', () => {
  const requests = () => git.counters().readers.requests;
  const read = async (name: string) => (await git.readRef(repo, `refs/heads/${name}`)) ?? 'none';

  it("returns git's value after every change by another process", async () => {
    await set('refs/heads/topic', null);
    const theirs = (name: string) =>
      stockGit(repo, ['for-each-ref', '--format=%(refname) %(objectname)'])
        .split('\n')
        .find((line) => line.startsWith(`refs/heads/${name} `))
        ?.split(' ')[1] ?? 'none';
    const move = (name: string, value: string | null) =>
      stockGit(repo, [
        'update-ref',
        ...(value === null ? ['-d', `refs/heads/${name}`] : [`refs/heads/${name}`, value]),
      ]);
    for (const change of [
      () => move('x/y', commit),
      () => move('x/y', other),
      () => run(repo, { name: 'pack-refs', flags: ['--all', '--prune'] }),
      () => move('x/y', commit),
      () => move('x/y', null),
      () => move('x', other),
      () => move('x', null),
    ]) {
      await change();
      for (const name of ['x', 'x/y', 'x/y/z', 'main', 'none']) assert.equal(await read(name), theirs(name), name);
    }
  });

  it('finds packed refs until packed-refs is rewritten', async () => {
    const packed = new PackedRefs(later);
    await set('refs/heads/p', commit);
    await run(repo, { name: 'pack-refs', flags: ['--all', '--prune'] });
    assert.equal(packed.find(repo, 'refs/heads/p'), commit);
    assert.equal(packed.find(repo, 'refs/heads/nope'), null);
    await set('refs/heads/p', other);
    assert.equal(packed.find(repo, 'refs/heads/p'), commit, 'a loose ref takes precedence, but is not in packed-refs');
    await run(repo, { name: 'pack-refs', flags: ['--all', '--prune'] });
    assert.equal(packed.find(repo, 'refs/heads/p'), other);
    assert.equal(new PackedRefs(atOnce).find(repo, 'refs/heads/p'), undefined, 'too recent to be cached');
  });

  it('caches a ref until its file changes, and reads recent files every time', async () => {
    const reader = new RefReader();
    const past = new Date(Date.now() - 60_000);
    for (let round = 0; round < 5; round++) {
      await set('refs/heads/own', commit);
      utimesSync(join(repo.path, 'refs/heads/own'), past, past);
      assert.equal(reader.read(repo, 'refs/heads/own'), commit);
      assert.equal(reader.read(repo, 'refs/heads/own'), commit);
      for (const oid of [other, commit, other]) {
        await set('refs/heads/own', oid);
        assert.equal(reader.read(repo, 'refs/heads/own'), oid);
      }
    }
    await run(repo, { name: 'pack-refs', flags: ['--all', '--prune'] });
    assert.ok(!existsSync(join(repo.path, 'refs/heads/own')));
    assert.equal(new RefReader(later).read(repo, 'refs/heads/own'), other);
  });

  it('does not ask git for a loose ref', async () => {
    await set('refs/heads/own', commit);
    const before = requests();
    assert.equal(await read('own'), commit);
    assert.equal(requests(), before);
  });

  it('resolves symbolic refs and returns nothing for invalid ones', async () => {
    stockGit(repo, ['symbolic-ref', 'refs/heads/alias', 'refs/heads/main']);
    assert.equal(await read('alias'), await read('main'));
    writeFileSync(join(repo.path, 'refs/heads/garbage'), 'garbage\n');
    for (const name of ['garbage', 'main/x', '../HEAD', 'a'.repeat(300), '']) assert.equal(await read(name), 'none');
    rmSync(join(repo.path, 'refs/heads/garbage'));
  });
});
