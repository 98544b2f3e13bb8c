import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Actor, anonymous } from '../../../src/access/actor.ts';
import type { Services } from '../../../src/access/services.ts';
import { acquireReadSlot, type ProjectCall, runExpensive } from '../../../src/code/repository/expensive-reads.ts';
import { GitBusyError, GitError } from '../../../src/platform/git/process/errors.ts';
import { HttpError, Overloaded } from '../../../src/platform/http/errors.ts';

const services = () => ({ git: {} }) as Services;
const person = { user: { id: 1 }, carrier: 'token', scopes: new Set() } as unknown as Actor;
const call = (caller: Actor, id = 7, signal = new AbortController().signal) =>
  ({ caller, signal, subject: { project: { id } } }) as ProjectCall;

/** Acquires slots until one has to wait, then fills the queue. */
async function crowd(of: Services, who: ProjectCall): Promise<{ running: number; waiting: number }> {
  let running = 0;
  let waiting = 0;
  for (;;) {
    const turn = acquireReadSlot(of, who);
    const state = await Promise.race([
      turn.then(() => 'running'),
      new Promise((done) => setImmediate(done, 'waiting')),
    ]).catch(() => 'refused');
    if (state === 'refused') return { running, waiting };
    if (state === 'running') running++;
    else waiting++;
    turn.catch(() => {});
  }
}

describe('expensive reads', () => {
  it('are limited per repository, and more strictly for anonymous callers', async () => {
    const of = services();
    const people = await crowd(of, call(person));
    const strangers = await crowd(of, call(anonymous));
    assert.ok(people.running > strangers.running && people.waiting > strangers.waiting);
    await assert.rejects(
      acquireReadSlot(of, call(person)),
      (error) => error instanceof Overloaded && error.status === 503,
    );
    (await acquireReadSlot(of, call(person, 8)))();
  });

  it('run in slots that are released on failure', async () => {
    const of = services();
    let most = 0;
    let now = 0;
    const work = async () => {
      most = Math.max(most, ++now);
      await new Promise((done) => setImmediate(done));
      now--;
      throw new Error('failed');
    };
    const results = await Promise.allSettled(Array.from({ length: 30 }, () => runExpensive(of, call(person), work)));
    assert.ok(results.every((result) => result.status === 'rejected'));
    assert.ok(most > 1 && most < 10);
    assert.equal(await runExpensive(of, call(person), async () => 'fine'), 'fine');
  });

  it('answer 503 when overloaded or timed out, and 499 when the client has disconnected', async () => {
    const of = services();
    const refusal = async (error: Error, signal?: AbortSignal) => {
      try {
        return await runExpensive(of, call(person, 7, signal), () => Promise.reject(error));
      } catch (thrown) {
        return thrown;
      }
    };
    for (const error of [new GitBusyError('busy'), new GitError('slow', { timedOut: true })]) {
      const thrown = await refusal(error);
      assert.ok(thrown instanceof Overloaded);
      assert.match(thrown.headers['retry-after'] ?? '', /^\d+$/);
    }
    const bug = new GitError('broken', { code: 128 });
    assert.equal(await refusal(bug), bug);
    const gone = new AbortController();
    const waiting = runExpensive(of, call(person, 7, gone.signal), async () => {
      gone.abort();
      throw new GitError('killed', { aborted: true });
    });
    await assert.rejects(waiting, (error) => error instanceof HttpError && error.status === 499);
  });
});
