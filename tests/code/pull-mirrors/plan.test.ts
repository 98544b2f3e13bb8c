import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { delayAfter, maxFailures } from '../../../src/code/pull-mirrors/delay.ts';
import { planPull } from '../../../src/code/pull-mirrors/plan.ts';

const minute = 60_000;

describe('planPull', () => {
  const isAncestor = async (ours: string, theirs: string) => theirs.startsWith(ours);
  const plan = (local: Record<string, string>, upstream: Record<string, string>, overwrites = false) =>
    planPull(new Map(Object.entries(local)), new Map(Object.entries(upstream)), {
      overwrites,
      defaultBranch: 'main',
      isAncestor,
    });

  it('creates and fast-forwards refs, default branch first, and deletes nothing', async () => {
    const local = { 'refs/heads/main': 'a', 'refs/heads/own': 'x', 'refs/heads/same': 'c' };
    const upstream = { 'refs/heads/b': 'b', 'refs/heads/main': 'aa', 'refs/heads/same': 'c', 'refs/tags/v1': 't' };
    assert.deepEqual(await plan(local, upstream), {
      updates: [
        { ref: 'refs/heads/main', old: 'a', new: 'aa' },
        { ref: 'refs/heads/b', old: null, new: 'b' },
        { ref: 'refs/tags/v1', old: null, new: 't' },
      ],
      diverged: [],
    });
  });

  it('skips diverged refs unless they may be overwritten', async () => {
    const local = { 'refs/heads/main': 'x', 'refs/tags/v1': 't' };
    const upstream = { 'refs/heads/main': 'a', 'refs/tags/v1': 'tt' };
    assert.deepEqual(await plan(local, upstream), { updates: [], diverged: ['refs/heads/main', 'refs/tags/v1'] });
    assert.equal((await plan(local, upstream, true)).updates.length, 2);
  });
});

describe('delayAfter', () => {
  it('grows with the duration and with each failure up to a limit and ends after fourteen failures', () => {
    const most = 300 * minute;
    const after = (durationMs: number, failures: number, spread = 0) =>
      delayAfter({ durationMs, failures }, most, spread);
    assert.equal(after(1000, 0), 30 * minute);
    assert.equal(after(5 * minute, 0), 120 * minute);
    assert.equal(after(1000, 1), 30 * minute);
    assert.equal(after(1000, 3), 90 * minute);
    assert.equal(after(1000, 14), most);
    assert.equal(after(60 * minute, 0), most);
    assert.equal(after(1000, 0, 1), 36 * minute);
    assert.equal(after(1000, maxFailures + 1), undefined);
  });
});
