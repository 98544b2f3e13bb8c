import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type MirrorRules, planMirror } from '../../../src/code/remote-mirrors/plan.ts';
import { dueAt } from '../../../src/code/remote-mirrors/schedule.ts';

const local = new Map([
  ['refs/heads/a', '1'],
  ['refs/heads/main', '2'],
  ['refs/tags/v1', '3'],
]);
const rules = (over: Partial<MirrorRules> = {}): MirrorRules => ({
  includes: () => true,
  keepDivergent: false,
  defaultBranch: 'main',
  isAncestor: async (theirs) => theirs === 'older',
  ...over,
});
const planned = async (remote: Record<string, string>, over?: Partial<MirrorRules>) => {
  const { updates, diverged } = await planMirror(local, new Map(Object.entries(remote)), rules(over));
  return { moves: updates.map(({ ref, old, new: id }) => `${ref} ${old ?? '-'} ${id ?? '-'}`), diverged };
};

describe('planMirror', () => {
  it('creates missing refs, default branch first', async () => {
    const { moves } = await planned({});
    assert.deepEqual(moves, ['refs/heads/main - 2', 'refs/heads/a - 1', 'refs/tags/v1 - 3']);
  });

  it('overwrites different refs and deletes merged ones with compare-and-swap', async () => {
    const remote = { 'refs/heads/a': '1', 'refs/heads/main': 'x', 'refs/heads/gone': 'older', 'refs/tags/v0': 'older' };
    const { moves, diverged } = await planned(remote);
    assert.deepEqual(moves, [
      'refs/heads/main x 2',
      'refs/tags/v1 - 3',
      'refs/heads/gone older -',
      'refs/tags/v0 older -',
    ]);
    assert.deepEqual(diverged, []);
  });

  it('keeps unmerged remote refs, and all if there is no default branch', async () => {
    const same = { 'refs/heads/a': '1', 'refs/heads/main': '2', 'refs/tags/v1': '3' };
    const unmerged = await planned({ ...same, 'refs/heads/theirs': 'y', 'refs/tags/theirs': 'z' });
    assert.deepEqual(unmerged, { moves: [], diverged: [] });
    const headless = await planned({ ...same, 'refs/heads/gone': 'older' }, { defaultBranch: null });
    assert.deepEqual(headless, { moves: [], diverged: [] });
  });

  it('keeps diverged refs and deletes nothing if configured', async () => {
    const remote = { 'refs/heads/a': 'older', 'refs/heads/main': 'x', 'refs/heads/gone': 'y', 'refs/tags/v1': 'z' };
    const { moves, diverged } = await planned(remote, { keepDivergent: true });
    assert.deepEqual(moves, ['refs/heads/a older 1']);
    assert.deepEqual(diverged, ['main', 'v1']);
  });

  it('applies the branch filter to deletions as well but not to tags', async () => {
    const { moves } = await planned({ 'refs/heads/gone': 'older' }, { includes: (branch) => branch === 'a' });
    assert.deepEqual(moves, ['refs/heads/a - 1', 'refs/tags/v1 - 3']);
  });

  it('ignores refs other than branches and tags', async () => {
    const { moves } = await planned({ 'refs/pull/1/head': 'p', 'refs/heads/main': '2', 'refs/heads/a': '1' });
    assert.deepEqual(moves, ['refs/tags/v1 - 3']);
  });

  it('does nothing if there are no local refs', async () => {
    const { updates } = await planMirror(new Map(), new Map([['refs/heads/main', 'x']]), rules());
    assert.deepEqual(updates, []);
  });
});

describe('dueAt', () => {
  const mirror = (protectedOnly: number, started: number | null) => ({
    id: 1,
    update_status: 'finished' as const,
    only_protected_branches: protectedOnly,
    last_update_started_at: started,
  });
  const table: [string, ReturnType<typeof mirror>, number][] = [
    ['immediate for the first run', mirror(0, null), 1_000_000],
    ['five minutes after the last start', mirror(0, 900_000), 1_200_000],
    ['one minute after the last start for protected branches only', mirror(1, 990_000), 1_050_000],
    ['immediate if the last run was long ago', mirror(0, 100_000), 1_000_000],
  ];
  for (const [name, row, due] of table) it(`is ${name}`, () => assert.equal(dueAt(row, 1_000_000), due));
});
