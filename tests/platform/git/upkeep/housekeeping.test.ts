import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { indexNewHistory } from '../../../../src/platform/git/upkeep/commit-graph.ts';
import { housekeep } from '../../../../src/platform/git/upkeep/housekeeping.ts';
import { planHousekeeping, type RepositoryState } from '../../../../src/platform/git/upkeep/housekeeping-plan.ts';
import { packFiles, repositoryState } from '../../../../src/platform/git/upkeep/housekeeping-state.ts';
import { WorkTree } from '../work-tree.ts';

const DAY = 24 * 60 * 60 * 1000;
const MIB = 1024 * 1024;

test('the plan depends on the state', () => {
  const now = 100 * DAY;
  const calm: RepositoryState = {
    looseObjects: 10,
    packs: 2,
    packBytes: 10 * MIB,
    hasBitmap: true,
    looseRefs: 3,
    packedRefsBytes: 5000,
    refsChanged: now - 3 * DAY,
    commitGraph: now - 2 * DAY,
    fullRepack: now - DAY,
    objectsChanged: now - DAY,
  };
  const cases: [string, Partial<RepositoryState>, string[]][] = [
    ['no change needed', {}, []],
    [
      'empty repository',
      {
        looseObjects: 0,
        packs: 0,
        packBytes: 0,
        hasBitmap: false,
        looseRefs: 0,
        packedRefsBytes: 0,
        refsChanged: 0,
        commitGraph: undefined,
        fullRepack: undefined,
        objectsChanged: 0,
      },
      [],
    ],
    ['loose objects', { looseObjects: 600 }, ['geometric-repack']],
    ['many packs', { packs: 9 }, ['geometric-repack']],
    ['the same number of packs in a large repository', { packs: 9, packBytes: 1000 * MIB }, []],
    ['no bitmap', { hasBitmap: false }, ['geometric-repack']],
    ['loose refs', { looseRefs: 50 }, ['pack-refs']],
    ['loose refs with many packed ones', { looseRefs: 50, packedRefsBytes: 5 * MIB }, []],
    ['changed refs', { refsChanged: now - DAY }, ['commit-graph']],
    ['no graph', { commitGraph: undefined }, ['commit-graph']],
    ['last full repack over a week ago', { fullRepack: now - 8 * DAY }, ['full-repack']],
    ['never repacked, over a day old', { fullRepack: undefined, objectsChanged: now - 2 * DAY }, ['full-repack']],
    ['never repacked, but recent', { fullRepack: undefined, objectsChanged: now - 1000 }, []],
    [
      'everything due',
      { looseRefs: 50, looseObjects: 9999, fullRepack: 0, commitGraph: 0 },
      ['pack-refs', 'full-repack', 'commit-graph'],
    ],
  ];
  for (const [name, change, expected] of cases) {
    assert.deepEqual(planHousekeeping({ ...calm, ...change }, now), expected, name);
  }
});

async function withRepo(body: (work: WorkTree) => Promise<void>): Promise<void> {
  const work = new WorkTree();
  try {
    for (let i = 0; i < 5; i++) work.commit({ [`f${i}`]: `${i}\n` }, `${i}`);
    await body(work);
  } finally {
    work.remove();
  }
}

const exists = (work: WorkTree, id: string) => {
  try {
    work.git('cat-file', '-e', id);
    return true;
  } catch {
    return false;
  }
};
const unreachable = (work: WorkTree, content: string) =>
  work.gitWith({ input: content }, 'hash-object', '-w', '--stdin');

test('all steps together leave a packed, indexed and valid repository', () =>
  withRepo(async (work) => {
    const before = work.git('rev-list', '--objects', '--all');
    const result = await housekeep(work.repo, {
      actions: ['pack-refs', 'geometric-repack', 'full-repack', 'commit-graph'],
    });
    assert.equal(result.busy, false);
    assert.equal(work.git('rev-list', '--objects', '--all'), before);
    work.git('fsck', '--strict');
    work.git('commit-graph', 'verify');
    const state = await repositoryState(work.repo);
    assert.equal(state.looseObjects, 0);
    assert.equal(state.looseRefs, 0);
    assert.equal(state.hasBitmap, true);
    assert.deepEqual(planHousekeeping(state, Date.now()), []);
    assert.ok(existsSync(join(work.repo.path, 'objects/info/commit-graphs/commit-graph-chain')));
  }));

test('unreachable objects are kept for two weeks after they were first found', () =>
  withRepo(async (work) => {
    const lost = unreachable(work, 'lost\n');
    // Written long ago and reachable until now: the file age must not count.
    const old = work.commit({ old: 'old branch\n' });
    work.git('repack', '-adq');
    for (const pack of await packFiles(work.repo)) {
      utimesSync(join(work.repo.path, 'objects/pack', `${pack.name}.pack`), 1_600_000_000, 1_600_000_000);
    }
    work.git('update-ref', 'refs/heads/main', 'main~1');
    await housekeep(work.repo, { actions: ['full-repack'] });
    assert.equal(exists(work, lost), true);
    assert.equal(exists(work, old), true, 'an old object that has just become unreachable is kept');
    await housekeep(work.repo, { actions: ['full-repack'] });
    assert.equal(exists(work, old), true);
    await housekeep(work.repo, { actions: ['full-repack'], now: Date.now() + 10 * DAY });
    assert.equal(exists(work, old), true);
    await housekeep(work.repo, { actions: ['full-repack'], now: Date.now() + 15 * DAY });
    assert.equal(exists(work, lost), false);
    assert.equal(exists(work, old), false);
    work.git('fsck', '--strict');
  }));

test('an expired object that a ref needs is restored from limbo', () =>
  withRepo(async (work) => {
    const lost = work.commit({ lost: 'lost\n' });
    work.git('update-ref', 'refs/heads/main', 'main~1');
    await housekeep(work.repo, { actions: ['full-repack'] });
    await housekeep(work.repo, { actions: ['full-repack'], now: Date.now() + 21 * DAY });
    assert.equal(exists(work, lost), false);
    // A ref written by a process that saw the object before it expired.
    writeFileSync(join(work.repo.path, 'refs/heads/late'), `${lost}\n`);
    const result = await housekeep(work.repo, { actions: ['full-repack'] });
    assert.equal(result.restored, true);
    assert.equal(work.git('rev-parse', 'late^{commit}'), lost);
    work.git('fsck', '--strict');
  }));

test('a large amount of new history is indexed immediately, with changed-path filters', () =>
  withRepo(async (work) => {
    assert.equal(await indexNewHistory(work.repo), false, 'few loose objects are not indexed');
    const graphs = join(work.repo.path, 'objects/info/commit-graphs');
    assert.equal(existsSync(graphs), false);
    work.git('repack', '-a', '-d', '-q');
    assert.equal(await indexNewHistory(work.repo), true);
    const [layer = ''] = readdirSync(graphs).filter((name) => name.endsWith('.graph'));
    assert.ok(readFileSync(join(graphs, layer)).includes('BIDX'), 'the changed-path chunk is missing');
    work.git('commit-graph', 'verify');
    assert.equal(await indexNewHistory(work.repo), false, 'nothing was added since');
  }));

test('only one run at a time is allowed', () =>
  withRepo(async (work) => {
    writeFileSync(join(work.repo.path, 'hearth-housekeeping.lock'), '');
    assert.equal((await housekeep(work.repo)).busy, true);
    utimesSync(join(work.repo.path, 'hearth-housekeeping.lock'), 1, 1);
    assert.equal((await housekeep(work.repo)).busy, false);
    assert.equal(existsSync(join(work.repo.path, 'hearth-housekeeping.lock')), false);
  }));

test('leftovers of crashed processes are removed after a day', () =>
  withRepo(async (work) => {
    const objects = join(work.repo.path, 'objects');
    for (const name of ['old', 'new', 'busy'])
      mkdirSync(join(objects, `tmp_objdir-incoming-${name}/pack`), { recursive: true });
    writeFileSync(join(objects, 'tmp_objdir-incoming-busy/pack/tmp_pack_x'), '');
    writeFileSync(join(objects, 'pack/tmp_pack_old'), '');
    for (const path of [
      'tmp_objdir-incoming-old/pack',
      'tmp_objdir-incoming-old',
      'tmp_objdir-incoming-busy/pack',
      'tmp_objdir-incoming-busy',
      'pack/tmp_pack_old',
    ]) {
      utimesSync(join(objects, path), 1000, 1000);
    }
    await housekeep(work.repo, { actions: [] });
    const left = readdirSync(objects).filter((name) => name.startsWith('tmp_'));
    assert.deepEqual(left.sort(), ['tmp_objdir-incoming-busy', 'tmp_objdir-incoming-new']);
    assert.equal(existsSync(join(objects, 'pack/tmp_pack_old')), false);
  }));

test('an empty repository needs no housekeeping', async () => {
  const work = new WorkTree();
  try {
    assert.deepEqual((await housekeep(work.repo)).done, []);
    await housekeep(work.repo, { actions: ['pack-refs', 'geometric-repack', 'full-repack', 'commit-graph'] });
  } finally {
    work.remove();
  }
});
