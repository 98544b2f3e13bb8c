import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PostgresRowCache } from '../../../src/platform/database/postgres-row-cache.ts';

const prepared = { id: 0, name: 'n', sql: 'select 1', cached: true };
/** What was called in this turn has left its own marks for the next before this one. */
async function nextTurn(): Promise<void> {
  for (const _ of [1, 2]) await new Promise<void>((resolve) => setImmediate(resolve));
}

/** A database with one number in it, which counts what it is asked. */
function world() {
  const asked = { stamps: 0, rows: 0, kept: 0 };
  const state = { stamp: 1, value: 1, answer: undefined as Promise<void> | undefined };
  const cache = new PostgresRowCache(async () => {
    asked.stamps += 1;
    const { stamp } = state;
    await state.answer;
    return String(stamp);
  });
  const read = async () => {
    asked.rows += 1;
    return [{ value: state.value }];
  };
  const look = async () => {
    const [row] = await cache.all(prepared, [7], read, () => {
      asked.kept += 1;
    });
    return row?.value;
  };
  const commit = (value: number) => {
    state.stamp += 1;
    state.value = value;
  };
  return { asked, state, cache, look, commit };
}

describe('rows kept of PostgreSQL', () => {
  it('are read once while nothing is committed, and asked about once a turn', async () => {
    const { asked, look } = world();
    await look();
    await look();
    assert.deepEqual(asked, { stamps: 1, rows: 1, kept: 1 });
    await nextTurn();
    await look();
    assert.deepEqual(asked, { stamps: 2, rows: 1, kept: 2 });
  });

  it('share the question with all who ask at once', async () => {
    const { asked, look } = world();
    await look();
    await nextTurn();
    await Promise.all(Array.from({ length: 50 }, look));
    // The first is sent at once; the others wait for one that was sent after they asked.
    assert.ok(asked.stamps <= 3, `${asked.stamps}`);
    assert.equal(asked.rows, 1);
  });

  it('are read again after a commit of another', async () => {
    const { look, commit } = world();
    assert.equal(await look(), 1);
    await nextTurn();
    commit(2);
    assert.equal(await look(), 2);
  });

  it('are not trusted when this process has committed since the question was sent', async () => {
    const { state, cache, look, commit } = world();
    assert.equal(await look(), 1);
    await nextTurn();
    const { promise, resolve } = Promise.withResolvers<void>();
    state.answer = promise;
    const looking = look();
    commit(2);
    cache.outdated();
    resolve();
    assert.equal(await looking, 2);
    assert.equal(await look(), 2);
  });

  it('that were read under an old stamp are not kept under a new one', async () => {
    const { asked, cache, look, commit } = world();
    const { promise, resolve } = Promise.withResolvers<void>();
    const slow = cache.all(
      prepared,
      [7],
      () => promise.then(() => [{ value: 'old' }]),
      () => undefined,
    );
    await nextTurn();
    commit(2);
    assert.equal(await look(), 2);
    resolve();
    assert.deepEqual(await slow, [{ value: 'old' }]);
    assert.equal(await look(), 2);
    assert.equal(asked.rows, 1);
  });

  it('say so when the question cannot be sent, and go on afterwards', async () => {
    const { state, look } = world();
    state.answer = Promise.reject(new Error('gone'));
    await assert.rejects(look(), /gone/);
    state.answer = undefined;
    assert.equal(await look(), 1);
  });
});
