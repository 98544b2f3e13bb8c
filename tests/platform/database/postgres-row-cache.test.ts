import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PostgresRowCache } from '../../../src/platform/database/postgres-row-cache.ts';

const prepared = { id: 0, name: 'n', sql: 'select 1', cached: true };
/** Waits two turns, so that marks left by calls of this turn have been reset. */
async function nextTurn(): Promise<void> {
  for (const _ of [1, 2]) await new Promise<void>((resolve) => setImmediate(resolve));
}

/** A fake database with one value, which counts queries. */
function world() {
  const counts = { stamps: 0, rows: 0, hits: 0 };
  const state = { stamp: 1, value: 1, answer: undefined as Promise<void> | undefined };
  const cache = new PostgresRowCache(async () => {
    counts.stamps += 1;
    const { stamp } = state;
    await state.answer;
    return String(stamp);
  });
  const read = async () => {
    counts.rows += 1;
    return [{ value: state.value }];
  };
  const lookUp = async () => {
    const [row] = await cache.all(prepared, [7], read, () => {
      counts.hits += 1;
    });
    return row?.value;
  };
  const commit = (value: number) => {
    state.stamp += 1;
    state.value = value;
  };
  return { counts, state, cache, lookUp, commit };
}

describe('PostgreSQL row cache', () => {
  it('reads rows once while nothing is committed, and the stamp once per turn', async () => {
    const { counts, lookUp } = world();
    await lookUp();
    await lookUp();
    assert.deepEqual(counts, { stamps: 1, rows: 1, hits: 1 });
    await nextTurn();
    await lookUp();
    assert.deepEqual(counts, { stamps: 2, rows: 1, hits: 2 });
  });

  it('shares the stamp query among concurrent reads', async () => {
    const { counts, lookUp } = world();
    await lookUp();
    await nextTurn();
    await Promise.all(Array.from({ length: 50 }, lookUp));
    // The first read queries the stamp at once; the others wait for a query that starts after they asked.
    assert.ok(counts.stamps <= 3, `${counts.stamps}`);
    assert.equal(counts.rows, 1);
  });

  it('reads rows again after a commit of another process', async () => {
    const { lookUp, commit } = world();
    assert.equal(await lookUp(), 1);
    await nextTurn();
    commit(2);
    assert.equal(await lookUp(), 2);
  });

  it('does not use cached rows if this process has committed since the stamp query started', async () => {
    const { state, cache, lookUp, commit } = world();
    assert.equal(await lookUp(), 1);
    await nextTurn();
    const { promise, resolve } = Promise.withResolvers<void>();
    state.answer = promise;
    const pending = lookUp();
    commit(2);
    cache.invalidate();
    resolve();
    assert.equal(await pending, 2);
    assert.equal(await lookUp(), 2);
  });

  it('does not cache rows read under an old stamp', async () => {
    const { counts, cache, lookUp, commit } = world();
    const { promise, resolve } = Promise.withResolvers<void>();
    const slow = cache.all(
      prepared,
      [7],
      () => promise.then(() => [{ value: 'old' }]),
      () => undefined,
    );
    await nextTurn();
    commit(2);
    assert.equal(await lookUp(), 2);
    resolve();
    assert.deepEqual(await slow, [{ value: 'old' }]);
    assert.equal(await lookUp(), 2);
    assert.equal(counts.rows, 1);
  });

  it('rejects if the stamp query fails and recovers afterwards', async () => {
    const { state, lookUp } = world();
    state.answer = Promise.reject(new Error('gone'));
    await assert.rejects(lookUp(), /gone/);
    state.answer = undefined;
    assert.equal(await lookUp(), 1);
  });
});
