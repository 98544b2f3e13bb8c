import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { createGit } from '../../../../src/platform/git/git.ts';
import { parsePackedRefs } from '../../../../src/platform/git/refs/packed-refs.ts';
import { readRefFailure, transactionInput } from '../../../../src/platform/git/refs/update.ts';
import { RefWriter } from '../../../../src/platform/git/refs/writer.ts';
import { WorkTree } from '../work-tree.ts';

const work = new WorkTree();
const one = work.commit({ a: '1' });
const two = work.commit({ a: '2' });
const git = createGit({ root: work.folder });
const { repo } = work;
after(() => {
  git.close();
  work.remove();
});

const listed = (prefix: string) =>
  work.git('for-each-ref', '--format=%(objectname) %(refname)', prefix).split('\n').filter(Boolean);
const ours = async (prefix: string) => (await git.listRefs(repo, prefix)).map(({ name, oid }) => `${oid} ${name}`);

describe('the list of refs', () => {
  it("equals git's for loose, packed and nested refs, in byte order", async () => {
    for (const name of ['b', 'a/x', 'a-x', 'a0', 'Z', 'ä', 'a/y/z']) work.git('branch', name, one);
    work.git('tag', '-a', '-m', 'x', 'v1');
    assert.deepEqual(await ours('refs/heads/'), listed('refs/heads/'));
    work.git('pack-refs', '--all');
    assert.deepEqual(await ours('refs/heads/'), listed('refs/heads/'));
    work.git('update-ref', 'refs/heads/b', two);
    work.git('update-ref', 'refs/heads/new', two);
    work.git('branch', '-q', '-D', 'a0');
    assert.deepEqual(await ours('refs/heads/'), listed('refs/heads/'));
    assert.deepEqual(await ours('refs/tags/'), listed('refs/tags/'));
    assert.deepEqual(await ours('refs/'), listed('refs/'));
    assert.deepEqual(await ours('refs/nothing/'), []);
  });

  it('resolves symbolic refs', async () => {
    work.git('symbolic-ref', 'refs/heads/alias', 'refs/heads/main');
    assert.deepEqual(await ours('refs/heads/'), listed('refs/heads/'));
    work.git('symbolic-ref', '-d', 'refs/heads/alias');
  });

  it('is the same with very many loose refs', async () => {
    const many = Array.from({ length: 150 }, (_, i) => `create refs/heads/many/${i} ${one}\n`).join('');
    work.gitWith({ input: many }, 'update-ref', '--stdin');
    assert.deepEqual(await ours('refs/heads/'), listed('refs/heads/'));
    work.gitWith({ input: many.replaceAll('create', 'delete') }, 'update-ref', '--stdin');
  });

  it('skips broken files', async () => {
    mkdirSync(join(repo.path, 'refs/heads/broken'), { recursive: true });
    writeFileSync(join(repo.path, 'refs/heads/broken/file'), 'garbage\n');
    writeFileSync(join(repo.path, 'refs/heads/held.lock'), '');
    const names = (await git.listRefs(repo, 'refs/heads/')).map(({ name }) => name);
    assert.ok(!names.some((name) => name.includes('broken') || name.includes('lock')));
    rmSync(join(repo.path, 'refs/heads/broken'), { recursive: true });
    rmSync(join(repo.path, 'refs/heads/held.lock'));
  });

  it('ignores comments and peeled ids in packed-refs', () => {
    const text = `# pack-refs with: peeled fully-peeled sorted \n${one} refs/tags/v1\n^${two}\n${two} refs/heads/x y\n`;
    assert.deepEqual(
      parsePackedRefs(text).map(({ name }) => name),
      ['refs/tags/v1', 'refs/heads/x y'],
    );
  });
});

describe('updating refs', () => {
  const read = (name: string) => git.readRef(repo, `refs/heads/${name}`);
  const update = (name: string, old: string | null | undefined, value: string | null) =>
    git.updateRefs(repo, [{ ref: `refs/heads/${name}`, old, new: value }]);

  it('creates, updates and deletes', async () => {
    assert.deepEqual(await update('m', null, one), { status: 'ok' });
    assert.equal(await read('m'), one);
    assert.deepEqual(await update('m', one, two), { status: 'ok' });
    assert.deepEqual(await update('m', undefined, one), { status: 'ok' });
    assert.equal(await read('m'), one);
    assert.deepEqual(await update('m', one, null), { status: 'ok' });
    assert.equal(await read('m'), null);
    assert.deepEqual(await git.updateRefs(repo, []), { status: 'ok' });
  });

  it('reports the reason of a failure, and continues afterwards', async () => {
    await update('taken', null, one);
    const status = async (...args: Parameters<typeof update>) => (await update(...args)).status;
    assert.equal(await status('taken', null, two), 'stale', 'already exists');
    assert.equal(await status('taken', two, one), 'stale', 'has another value');
    assert.equal(await status('gone', one, two), 'stale', 'does not exist');
    assert.equal(await status('gone', one, null), 'stale', 'nothing to delete');
    assert.equal(await status('taken/below', null, one), 'name-conflict');
    await update('deep/er', null, one);
    assert.equal(await status('deep', null, one), 'name-conflict');
    assert.equal(await status('x', null, '1'.repeat(40)), 'invalid', 'no such object');
    assert.equal(await status('x', null, work.git('rev-parse', 'main^{tree}')), 'invalid', 'not a commit');
    for (const name of ['a..b', 'a b', '', 'x.lock', 'a\0b', 'a\nb'])
      assert.equal(await status(name, null, one), 'invalid', name);
    assert.equal(await status('x', null, 'main'), 'invalid');
    assert.equal((await git.updateRefs(repo, [{ ref: 'HEAD', new: one }])).status, 'invalid');
    assert.deepEqual([await read('taken'), await read('x')], [one, null]);
    assert.equal(await status('x', null, one), 'ok');
  });

  it('makes all updates or none', async () => {
    const both = (old: string | null) =>
      git.updateRefs(repo, [
        { ref: 'refs/heads/pair/1', old: null, new: one },
        { ref: 'refs/heads/pair/2', old, new: two },
      ]);
    assert.equal((await both(one)).status, 'stale');
    assert.equal(await read('pair/1'), null);
    assert.equal((await both(null)).status, 'ok');
    assert.deepEqual([await read('pair/1'), await read('pair/2')], [one, two]);
    const twice = { ref: 'refs/heads/pair/1', new: two };
    assert.equal((await git.updateRefs(repo, [twice, twice])).status, 'invalid');
  });

  it('reports a name conflict within one set', async () => {
    const result = await git.updateRefs(repo, [
      { ref: 'refs/heads/q', old: null, new: one },
      { ref: 'refs/heads/q/r', old: null, new: one },
    ]);
    assert.equal(result.status, 'name-conflict');
  });

  it('reports a lock held by another process', async () => {
    await update('locked', null, one);
    const lock = join(repo.path, 'refs/heads/locked.lock');
    writeFileSync(lock, '');
    assert.equal((await update('locked', one, two)).status, 'locked');
    rmSync(lock);
    assert.equal((await update('locked', one, two)).status, 'ok');
  });

  it('survives the death of the git process', async () => {
    const writer = new RefWriter(repo);
    const create = (name: string) => writer.update([{ ref: `refs/heads/${name}`, old: null, new: one }]);
    assert.equal((await create('before')).status, 'ok');
    writer.replace();
    // Transactions that arrive while it dies wait for the next process.
    const both = await Promise.all([create('during'), create('next')]);
    assert.deepEqual(both, [{ status: 'ok' }, { status: 'ok' }]);
    assert.deepEqual([await read('during'), await read('next')], [one, one]);
    // A transaction that was already sent may fail; the next one must not.
    const hanging = create('hanging');
    writer.replace();
    const [first, second] = await Promise.allSettled([hanging, create('after')]);
    assert.ok(first?.status === 'rejected' || (await read('hanging')) === one);
    assert.deepEqual(second, { status: 'fulfilled', value: { status: 'ok' } });
    writer.close();
    await assert.rejects(create('closed'), { name: 'GitError' });
  });

  it('sees refs packed concurrently', async () => {
    await update('packed', null, one);
    work.git('pack-refs', '--all');
    assert.equal((await update('packed', one, two)).status, 'ok');
    work.git('pack-refs', '--all');
    assert.equal((await update('packed', two, null)).status, 'ok');
    assert.equal(await read('packed'), null);
  });
});

describe('git update-ref', () => {
  for (const [stderr, status, ref] of [
    ["fatal: prepare: cannot lock ref 'refs/heads/x': is at 1 but expected 2", 'stale', 'refs/heads/x'],
    ["fatal: prepare: cannot lock ref 'refs/heads/x': reference already exists", 'stale', 'refs/heads/x'],
    [
      "fatal: commit: cannot lock ref 'refs/heads/a': 'refs/heads/a/b' exists; cannot create 'refs/heads/a'",
      'name-conflict',
      'refs/heads/a',
    ],
    ["fatal: prepare: cannot lock ref 'r/x': Unable to create '/d/r/x.lock': File exists.", 'locked', 'r/x'],
    ['fatal: out of memory', undefined, undefined],
  ] as const) {
    it(`${stderr.slice(0, 70)} is interpreted as ${status ?? 'an unknown failure'}`, () => {
      const failure = readRefFailure(stderr);
      assert.equal(failure?.status, status);
      if (failure && 'ref' in failure) assert.equal(failure.ref, ref);
    });
  }

  it('receives one transaction', () => {
    const input = transactionInput([
      { ref: 'refs/heads/a', old: null, new: one },
      { ref: 'refs/heads/b', new: null },
    ]);
    assert.equal(
      input,
      `start\0update refs/heads/a\0${one}\0${'0'.repeat(40)}\0delete refs/heads/b\0\0prepare\0commit\0`,
    );
  });
});

describe('resolving a revision', () => {
  it("follows fixed rules instead of git's full syntax", async () => {
    const sha = 'abcdef0123456789abcdef0123456789abcdef01';
    work.git('update-ref', `refs/heads/${one}`, two);
    work.git('update-ref', `refs/heads/${sha}`, two);
    work.git('update-ref', 'refs/heads/same', one);
    work.git('update-ref', 'refs/tags/same', two);
    work.git('update-ref', 'refs/merge-requests/1/head', two);
    work.git('update-ref', 'refs/heads/dead', one);
    const resolve = async (name: string) => (await git.resolve(repo, name))?.commit;
    assert.equal(await resolve('main'), two);
    assert.equal(await resolve('HEAD'), two);
    assert.equal(await resolve(two), two);
    assert.equal(await resolve(one), one, 'an id takes precedence over a branch of the same name');
    assert.equal(await resolve(sha), two, 'no such object, so the branch');
    assert.equal(await resolve(two.slice(0, 8)), two);
    assert.equal(await resolve(two.slice(0, 8).toUpperCase()), two);
    assert.equal(await resolve('dead'), one, 'a branch takes precedence over a short id');
    assert.equal(await resolve('same'), two, 'a tag takes precedence over a branch, as in git');
    assert.equal(await resolve('heads/same'), one);
    assert.equal(await resolve('refs/heads/same'), one);
    assert.equal(await resolve('v1'), two);
    assert.equal(await resolve('refs/merge-requests/1/head'), two);
    assert.equal(await resolve('main~1'), one);
    assert.equal(await resolve('main^'), one);
    assert.equal(await resolve('main~1^0'), one);
    const nothing = [
      '',
      'none',
      '-p',
      '--all',
      ':/change',
      'main@{0}',
      'main:a',
      'main^{tree}',
      '^main',
      'main..main',
      'a\nb',
      'a\0b',
      'main~5',
      '@{-1}',
      'abc',
    ];
    for (const name of nothing) assert.equal(await resolve(name), undefined, name);
    assert.deepEqual(await git.resolve(repo, 'same'), { commit: two, ref: 'refs/tags/same' });
  });
});
