import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RepositoryTurns } from '../../../src/code/transport/turns.ts';
import { GitBusyError } from '../../../src/platform/git/process/errors.ts';

describe('the turns of a repository', () => {
  it('lets some work, some wait, and sends the rest away; others are not concerned', async () => {
    const turns = new RepositoryTurns(1);
    const finish: (() => void)[] = [];
    const started: number[] = [];
    const work = (n: number) => () =>
      new Promise<number>((resolve) => {
        started.push(n);
        finish.push(() => resolve(n));
      });
    const taken = [0, 1, 2, 3, 4].map((n) => turns.take('a', undefined, work(n)));
    await assert.rejects(turns.take('a', undefined, work(5)), GitBusyError);
    assert.equal(await turns.take('b', undefined, async () => 'free'), 'free');
    assert.deepEqual(started, [0]);
    for (const [n, each] of taken.entries()) {
      finish[n]?.();
      assert.equal(await each, n);
      await turns.take('b', undefined, async () => undefined);
    }
    assert.deepEqual(started, [0, 1, 2, 3, 4]);
  });

  it('forgets those who leave while they wait, and gives the turn back when work fails', async () => {
    const turns = new RepositoryTurns(1);
    const leaving = new AbortController();
    let release = () => {};
    const first = turns.take('a', undefined, () => new Promise<void>((resolve) => (release = resolve)));
    const second = turns.take('a', leaving.signal, async () => assert.fail('must not start'));
    leaving.abort();
    await assert.rejects(second, { name: 'AbortError' });
    release();
    await first;
    await assert.rejects(
      turns.take('a', undefined, () => Promise.reject(new Error('broken'))),
      /broken/,
    );
    assert.equal(await turns.take('a', undefined, async () => 1), 1);
  });
});
