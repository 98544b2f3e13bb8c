import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { Busy, KeyedLimiter, Limiter } from '../../src/platform/concurrency.ts';

describe('keyed limiter', () => {
  it('limits running and waiting callers per key and rejects further ones', async () => {
    const limiter = new KeyedLimiter();
    const one = { running: 1, waiting: 4 };
    const finish: (() => void)[] = [];
    const started: number[] = [];
    const work = (n: number) => () =>
      new Promise<number>((resolve) => {
        started.push(n);
        finish.push(() => resolve(n));
      });
    const taken = [0, 1, 2, 3, 4].map((n) => limiter.run('a', one, work(n)));
    await assert.rejects(limiter.run('a', one, work(5)), Busy);
    assert.equal(await limiter.run('b', one, async () => 'free'), 'free');
    assert.deepEqual(started, [0]);
    for (const [n, each] of taken.entries()) {
      finish[n]?.();
      assert.equal(await each, n);
      await limiter.run('b', one, async () => undefined);
    }
    assert.deepEqual(started, [0, 1, 2, 3, 4]);
  });

  it('drops aborted waiters and releases the slot of failed work', async () => {
    const limiter = new KeyedLimiter();
    const one = { running: 1, waiting: 4 };
    const leaving = new AbortController();
    let release = () => {};
    const first = limiter.run('a', one, () => new Promise<void>((resolve) => (release = resolve)));
    const second = limiter.run('a', one, async () => assert.fail('must not start'), leaving.signal);
    leaving.abort();
    await assert.rejects(second, { name: 'AbortError' });
    release();
    await first;
    await assert.rejects(
      limiter.run('a', one, () => Promise.reject(new Error('broken'))),
      /broken/,
    );
    assert.equal(await limiter.run('a', one, async () => 1), 1);
  });
});

test('a limiter never exceeds its limit, even when work fails', async () => {
  const limiter = new Limiter({ running: 3, waiting: 100 });
  let running = 0;
  let most = 0;
  const outcomes = await Promise.allSettled(
    Array.from({ length: 50 }, (_, index) =>
      limiter.run(async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise(setImmediate);
        running -= 1;
        if (index % 2) throw new Error('failed');
        return index;
      }),
    ),
  );
  assert.equal(most, 3);
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 25);
});
