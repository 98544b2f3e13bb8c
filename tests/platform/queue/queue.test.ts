import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Database } from '../../../src/platform/database/database.ts';
import { armFault } from '../../../src/platform/faults.ts';
import {
  createQueue,
  GiveUp,
  type Job,
  type Queue,
  type QueueOptions,
  RunAgain,
} from '../../../src/platform/queue/queue.ts';
import { createLocalSignals } from '../../../src/platform/signals/local.ts';
import { forEachEngine, openTestDatabase } from '../../support/engines.ts';
import { until } from '../../support/until.ts';
import { migrations, note } from './kinds.ts';

const minute = 60_000;

forEachEngine((engine) => {
  let db: Database;
  let now: number;
  let failures: string[];
  const queues: Queue[] = [];

  const open = (options: Partial<QueueOptions> = {}): Queue => {
    const onFailure = (error: unknown) => void failures.push(String(error));
    const signals = createLocalSignals(onFailure);
    const queue = createQueue({ db, signals, onFailure, now: () => now, settleMs: 20, ...options });
    queues.push(queue);
    return queue;
  };

  const add = (queue: Queue, text: string, options = {}) =>
    db.write((trx) => queue.enqueue(trx, 'test.note', { text }, options));

  /** Defines a handler that records the text of each job. */
  const recording = (queue: Queue, options = {}): string[] => {
    const ran: string[] = [];
    queue.defineJob('test.note', async ({ payload }) => void ran.push(payload.text), options);
    return ran;
  };

  beforeEach(async () => {
    now = 1_000_000_000_000;
    failures = [];
    db ??= await openTestDatabase(engine, migrations);
    await db.write(async (trx) => {
      for (const table of ['jobs', 'recurring_jobs', 'notebook'] as const) await trx.deleteFrom(table).execute();
    });
  });
  after(() => Promise.all(queues.map((queue) => queue.stop({ graceMs: 0 }))));

  describe('jobs', () => {
    test('exist only if their transaction commits', async () => {
      const queue = open();
      const ran = recording(queue);
      await add(queue, 'kept');
      const rolledBack = db.write(async (trx) => {
        await queue.enqueue(trx, 'test.note', { text: 'lost' });
        throw new Error('changed my mind');
      });
      await assert.rejects(rolledBack, /changed my mind/);
      await queue.drain();
      assert.deepEqual(ran, ['kept']);
      assert.deepEqual(await queue.counts(), { pending: 0, running: 0, dead: 0 });
    });

    test('wake a started queue', async () => {
      const queue = open({ pollMs: 10 * minute });
      const ran = recording(queue);
      await queue.start();
      await add(queue, 'one');
      await until(() => ran.length === 1);
      await add(queue, 'two');
      await until(() => ran.length === 2);
      await queue.stop();
    });

    test('are found by polling without a signal', async () => {
      const polling = open({ pollMs: 5 });
      const ran = recording(polling);
      await polling.start();
      await add(open(), 'from elsewhere');
      await until(() => ran.length === 1);
      await polling.stop();
    });

    test('wait for their time', async () => {
      const queue = open();
      const ran = recording(queue);
      await add(queue, 'later', { runAt: now + minute });
      await queue.drain();
      assert.deepEqual(ran, []);
      now += minute;
      await queue.drain();
      assert.deepEqual(ran, ['later']);
    });

    test('run by priority, then by age', async () => {
      const queue = open({ concurrency: 1 });
      const ran = recording(queue, { concurrency: 1 });
      for (const [text, priority] of [
        ['a', 0],
        ['b', 10],
        ['c', 0],
        ['d', 10],
        ['e', -1],
      ] as const) {
        await add(queue, text, { priority });
      }
      await queue.drain();
      assert.deepEqual(ran, ['b', 'd', 'a', 'c', 'e']);
    });

    test('of an unknown kind wait for a worker that has a handler', async () => {
      const queue = open();
      await add(queue, 'strange');
      await queue.drain();
      assert.equal((await queue.counts()).pending, 1);
      const newer = open();
      const ran = recording(newer);
      await newer.drain();
      assert.deepEqual(ran, ['strange']);
    });
  });

  describe('jobs with the same dedupe key', () => {
    test('are merged while waiting, with the newest payload and the earliest time', async () => {
      const queue = open();
      const ran = recording(queue);
      const first = await add(queue, 'one', { dedupeKey: 'k', runAt: now + minute });
      assert.equal(await add(queue, 'two', { dedupeKey: 'k' }), first);
      await add(queue, 'three', { dedupeKey: 'k', runAt: now + 2 * minute });
      await add(queue, 'other key', { dedupeKey: 'l' });
      await queue.drain();
      assert.deepEqual(ran, ['three', 'other key']);
    });

    test('are added while another one is running', async () => {
      const queue = open();
      const ran: string[] = [];
      queue.defineJob('test.note', async ({ payload }) => {
        ran.push(payload.text);
        if (ran.length === 1) await add(queue, 'again', { dedupeKey: 'k' });
      });
      await add(queue, 'first', { dedupeKey: 'k' });
      await queue.drain();
      assert.deepEqual(ran, ['first', 'again']);
    });

    test('replace a failed one that would be retried', async () => {
      const queue = open();
      queue.defineJob('test.note', async ({ payload }) => {
        if (payload.text !== 'first') return;
        await add(queue, 'meanwhile', { dedupeKey: 'k', runAt: now + minute });
        throw new Error('failed');
      });
      await add(queue, 'first', { dedupeKey: 'k' });
      await queue.drain();
      const waiting = await db.read.selectFrom('jobs').select(['payload', 'attempts']).execute();
      assert.deepEqual(waiting, [{ payload: '{"text":"meanwhile"}', attempts: 0 }]);
    });

    const oneWriter = engine === 'sqlite' && 'on SQLite the lease waits for the transaction';
    const joining = 'are not started before the transaction that joined them commits';
    test(joining, { skip: oneWriter }, async () => {
      const queue = open();
      const ran = recording(queue);
      await add(queue, 'first', { dedupeKey: 'k' });
      const joined = Promise.withResolvers<void>();
      const commit = Promise.withResolvers<void>();
      const transaction = db.write(async (trx) => {
        await queue.enqueue(trx, 'test.note', { text: 'joined' }, { dedupeKey: 'k' });
        joined.resolve();
        await commit.promise;
      });
      await joined.promise;
      await queue.drain();
      assert.deepEqual(ran, [], 'the worker would not see the writes of the transaction');
      commit.resolve();
      await transaction;
      await queue.drain();
      assert.deepEqual(ran, ['joined']);
    });
  });

  describe('failures', () => {
    test('are retried with backoff, kept as dead jobs, and can be restarted', async () => {
      const queue = open();
      const attempts: number[] = [];
      let broken = true;
      queue.defineJob('test.note', async ({ attempt }) => {
        attempts.push(attempt);
        if (broken) throw new Error('no route to host');
      });
      const id = await add(queue, 'x', { maxAttempts: 3 });
      const pauses: number[] = [];
      for (let round = 1; round <= 3; round++) {
        await queue.drain();
        const row = await db.read.selectFrom('jobs').selectAll().executeTakeFirstOrThrow();
        pauses.push(row.run_at - now);
        assert.match(row.error ?? '', /no route to host/);
        now = Math.max(now, row.run_at);
      }
      assert.deepEqual(attempts, [1, 2, 3]);
      assert.ok((pauses[0] ?? 0) >= 1000 && (pauses[1] ?? 0) >= 2000, `${pauses}`);
      assert.deepEqual(await queue.counts(), { pending: 0, running: 0, dead: 1 });
      const [dead] = await queue.listDead();
      assert.deepEqual(
        { ...dead, error: undefined },
        {
          id,
          kind: 'test.note',
          payload: { text: 'x' },
          attempts: 3,
          error: undefined,
          createdAt: 1_000_000_000_000,
          failedAt: now,
        },
      );
      assert.match(dead?.error ?? '', /no route to host/);

      broken = false;
      assert.equal(await queue.retryDead(id), true);
      assert.equal(await queue.retryDead(id), false);
      await queue.drain();
      assert.deepEqual(attempts, [1, 2, 3, 1]);
      assert.deepEqual(await queue.counts(), { pending: 0, running: 0, dead: 0 });
      assert.equal(failures.length, 3);
    });

    test('can be final without retries', async () => {
      const queue = open();
      queue.defineJob('test.note', async () => {
        throw new GiveUp('the project is gone');
      });
      const id = await add(queue, 'x');
      await queue.drain();
      assert.equal((await queue.counts()).dead, 1);
      assert.equal(await queue.discardDead(id), true);
      assert.equal(await queue.discardDead(id), false);
      assert.equal((await queue.counts()).dead, 0);
    });

    test('count even if thrown synchronously', async () => {
      const queue = open();
      queue.defineJob('test.note', () => {
        throw new Error('at once');
      });
      await add(queue, 'x', { maxAttempts: 1 });
      await queue.drain();
      assert.match((await queue.listDead())[0]?.error ?? '', /at once/);
    });

    test('do not include RunAgain', async () => {
      const queue = open();
      const attempts: number[] = [];
      queue.defineJob('test.note', async ({ attempt }) => {
        attempts.push(attempt);
        if (attempts.length < 4) throw new RunAgain(minute);
      });
      await add(queue, 'x', { maxAttempts: 1 });
      for (let round = 0; round < 4; round++) {
        await queue.drain();
        now += minute;
      }
      assert.deepEqual(attempts, [1, 1, 1, 1]);
      assert.deepEqual(failures, []);
      assert.deepEqual(await queue.counts(), { pending: 0, running: 0, dead: 0 });
    });

    test('by timeout abort the handler, whether or not it reacts', async () => {
      const queue = open();
      let reacted = false;
      queue.defineJob(
        'test.note',
        ({ signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              reacted = true;
              reject(new Error('stopped by the signal'));
            });
          }),
        { timeoutMs: 5 },
      );
      queue.defineJob('test.other', () => new Promise(() => {}), { timeoutMs: 5 });
      await add(queue, 'x', { maxAttempts: 1 });
      await db.write((trx) => queue.enqueue(trx, 'test.other', { text: 'deaf' }, { maxAttempts: 1 }));
      await queue.drain();
      assert.ok(reacted);
      const dead = await queue.listDead();
      assert.deepEqual(
        dead.map(({ kind }) => kind),
        ['test.other', 'test.note'],
      );
      for (const { error } of dead) assert.match(error ?? '', /not done after 5 ms/);
    });

    test('are listed in pages, newest first, by kind', async () => {
      const queue = open();
      const fail = async () => {
        throw new GiveUp('x');
      };
      queue.defineJob('test.note', fail);
      queue.defineJob('test.other', fail);
      const ids: number[] = [];
      for (let index = 0; index < 5; index++) ids.unshift(await add(queue, String(index)));
      await db.write((trx) => queue.enqueue(trx, 'test.other', { text: 'x' }));
      await queue.drain();
      const kind = 'test.note';
      const page = await queue.listDead({ kind, limit: 3 });
      assert.deepEqual(
        page.map(({ id }) => id),
        ids.slice(0, 3),
      );
      const rest = await queue.listDead({ kind, limit: 3, before: page.at(-1)?.id });
      assert.deepEqual(
        rest.map(({ id }) => id),
        ids.slice(3),
      );
    });
  });

  describe('workers', () => {
    test('respect the concurrency limits in total and per kind', async () => {
      const queue = open({ concurrency: 3 });
      const running = { 'test.note': 0, 'test.other': 0 };
      let maxInAll = 0;
      let maxNotes = 0;
      const work = async ({ kind }: Job) => {
        running[kind as keyof typeof running] += 1;
        maxInAll = Math.max(maxInAll, running['test.note'] + running['test.other']);
        maxNotes = Math.max(maxNotes, running['test.note']);
        for (let turns = 0; turns < 5; turns++) await turn();
        running[kind as keyof typeof running] -= 1;
      };
      queue.defineJob('test.note', work, { concurrency: 2 });
      queue.defineJob('test.other', work);
      for (let index = 0; index < 12; index++) {
        await add(queue, String(index));
        await db.write((trx) => queue.enqueue(trx, 'test.other', { text: String(index) }));
      }
      await queue.drain();
      assert.equal(maxInAll, 3);
      assert.equal(maxNotes, 2);
    });

    test('share the work and never run a job twice', async () => {
      const ran: string[] = [];
      const workers = Array.from({ length: 4 }, () => {
        const queue = open({ concurrency: 3, pollMs: 2 });
        queue.defineJob('test.note', async ({ payload }) => {
          await turn();
          ran.push(payload.text);
        });
        return queue;
      });
      const texts = Array.from({ length: 120 }, (_, index) => String(index));
      await Promise.all(workers.map((worker) => worker.start()));
      await Promise.all(texts.map((text) => add(workers[0] as Queue, text)));
      await until(async () => ran.length >= texts.length && (await workers[0]?.counts())?.running === 0);
      await Promise.all(workers.map((worker) => worker.stop()));
      assert.deepEqual(
        ran.map(Number).sort((a, b) => a - b),
        texts.map(Number),
      );
      assert.deepEqual(failures, []);
    });

    test('take over jobs of silent workers, which then cannot finish them', async () => {
      const [first, second] = [open(), open()];
      let resume = () => {};
      let started = false;
      const finishing: unknown[] = [];
      first.defineJob('test.note', async (job) => {
        started = true;
        await new Promise<void>((resolve) => {
          resume = resolve;
        });
        const finish = db.write(async (trx) => {
          await note(trx, 'by the first');
          await job.finish(trx);
        });
        await finish.catch((error: Error) => finishing.push(error.name));
      });
      const ran = recording(second);
      await add(first, 'x');
      const draining = first.drain();
      await until(() => started);
      await second.drain();
      assert.deepEqual(ran, [], 'the lease is held');
      now += minute + 1;
      await second.drain();
      assert.deepEqual(ran, ['x']);
      resume();
      await draining;
      assert.deepEqual(finishing, ['LeaseLost']);
      assert.deepEqual(await db.read.selectFrom('notebook').selectAll().execute(), []);
      assert.match(failures.at(-1) ?? '', /taken over/);
    });

    test('renew their leases and notice when one is lost', async () => {
      const queue = open({ leaseMs: 30 });
      let aborted: unknown;
      let started = false;
      queue.defineJob('test.note', ({ signal }) => {
        started = true;
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            aborted = signal.reason;
            reject(signal.reason);
          });
        });
      });
      await add(queue, 'x');
      const draining = queue.drain();
      await until(() => started);
      const leaseEnd = async () =>
        (await db.read.selectFrom('jobs').select('lease_until').executeTakeFirst())?.lease_until;
      now += 1000;
      await until(async () => (await leaseEnd()) === now + 30);
      await db.write((trx) => trx.updateTable('jobs').set({ lease_token: 'of another' }).execute());
      await draining;
      assert.match(String(aborted), /LeaseLost/);
      const row = await db.read.selectFrom('jobs').select(['state', 'lease_token']).executeTakeFirst();
      assert.deepEqual(row, { state: 'running', lease_token: 'of another' }, 'the other worker keeps it');
    });

    test('give up a job that crashes every worker', async () => {
      const queue = open();
      await add(queue, 'poison', { maxAttempts: 2 });
      const disarm = armFault('queue.leased', () => {
        throw new Error('the worker is gone');
      });
      queue.defineJob('test.note', async () => assert.fail('never reached'));
      for (let crash = 0; crash < 2; crash++) {
        await assert.rejects(queue.drain(), /the worker is gone/);
        now += minute + 1;
      }
      disarm();
      await queue.drain();
      const [dead] = await queue.listDead();
      assert.match(dead?.error ?? '', /worker disappeared/);
    });

    test('can finish a job in the transaction of its effect', async () => {
      const queue = open();
      queue.defineJob('test.note', async (job) => {
        await db.write(async (trx) => {
          await note(trx, job.payload.text);
          await job.finish(trx);
        });
      });
      await add(queue, 'once');
      await queue.drain();
      assert.deepEqual(await db.read.selectFrom('notebook').selectAll().execute(), [{ text: 'once' }]);
      assert.deepEqual(await queue.counts(), { pending: 0, running: 0, dead: 0 });
      assert.deepEqual(failures, []);
    });
  });

  describe('stopping the queue', () => {
    test('waits for running jobs and starts no new ones', async () => {
      const queue = open();
      const ran: string[] = [];
      let resume: (() => void) | undefined;
      queue.defineJob(
        'test.note',
        async ({ payload }) => {
          await new Promise<void>((resolve) => {
            resume = resolve;
          });
          ran.push(payload.text);
        },
        { concurrency: 1 },
      );
      await queue.start();
      await add(queue, 'one');
      // The lease is visible before the handler runs.
      await until(() => resume !== undefined);
      await add(queue, 'two');
      const stopped = queue.stop();
      resume?.();
      await stopped;
      assert.deepEqual(ran, ['one']);
      assert.deepEqual(await queue.counts(), { pending: 1, running: 0, dead: 0 });
    });

    test('aborts slow jobs after the grace period and returns them without counting the attempt', async () => {
      const queue = open();
      queue.defineJob('test.note', () => new Promise(() => {}));
      await queue.start();
      await add(queue, 'slow');
      await until(async () => (await queue.counts()).running === 1);
      await queue.stop({ graceMs: 1 });
      const row = await db.read.selectFrom('jobs').select(['state', 'attempts', 'run_at']).executeTakeFirst();
      assert.deepEqual(row, { state: 'pending', attempts: 0, run_at: now });
    });
  });

  describe('recurring jobs', () => {
    const hourly = (queue: Queue, ran: number[]) =>
      queue.recurring('sweep', { everyMs: 60 * minute }, async () => void ran.push(now));

    test('run once per period on several nodes, and once after a pause', async () => {
      const ran: number[] = [];
      const nodes = [open(), open(), open()];
      for (const node of nodes) hourly(node, ran);
      const all = () => Promise.all(nodes.map((node) => node.drain()));
      await all();
      assert.equal(ran.length, 0, 'not before the first period ends');
      for (let period = 1; period <= 3; period++) {
        now += 60 * minute;
        await all();
        await all();
        assert.equal(ran.length, period);
      }
      now += 5 * 60 * minute;
      await all();
      assert.equal(ran.length, 4);
    });

    test('do not accumulate while one is waiting or running', async () => {
      const queue = open();
      hourly(queue, []);
      await queue.drain();
      const claim = armFault('queue.leased', () => {
        throw new Error('never gets to run');
      });
      for (let period = 0; period < 3; period++) {
        now += 60 * minute;
        await assert.rejects(queue.drain());
      }
      claim();
      const { pending, running } = await queue.counts();
      assert.equal(pending + running, 1);
    });

    test('that always fail keep only their last failure', async () => {
      const queue = open();
      queue.recurring(
        'broken',
        { everyMs: 60 * minute },
        async () => {
          throw new Error('still broken');
        },
        { maxAttempts: 1 },
      );
      await queue.drain();
      for (let period = 0; period < 3; period++) {
        now += 60 * minute;
        await queue.drain();
      }
      assert.deepEqual(
        (await queue.listDead()).map(({ kind }) => kind),
        ['recurring.broken'],
      );
    });

    test('do not wait for the time of a clock that was ahead', async () => {
      const queue = open({ pollMs: 5 });
      const ran: number[] = [];
      hourly(queue, ran);
      const right = now;
      now += 24 * 60 * minute;
      await queue.start();
      await queue.drain();
      now += 60 * minute;
      await until(() => ran.length === 1);
      now = right;
      const due = async () => {
        const row = await db.read.selectFrom('recurring_jobs').select('next_run_at').executeTakeFirstOrThrow();
        return row.next_run_at;
      };
      await until(async () => (await due()) <= right + 60 * minute);
      now += 60 * minute;
      await until(() => ran.length === 2);
      await queue.stop({ graceMs: 0 });
    });

    test('run sooner if their schedule has become tighter', async () => {
      const older = open();
      older.recurring('sweep', { everyMs: 24 * 60 * minute }, async () => {});
      await older.drain();
      const newer = open();
      const ran: number[] = [];
      hourly(newer, ran);
      await newer.drain();
      now += 60 * minute;
      await newer.drain();
      assert.equal(ran.length, 1);
    });

    test('with an invalid schedule or a duplicate name throw', () => {
      const queue = open();
      assert.throws(() => queue.recurring('x', { minute: 99 }, async () => {}), RangeError);
      queue.recurring('y', { minute: 9 }, async () => {});
      assert.throws(() => queue.recurring('y', { minute: 9 }, async () => {}), /already/);
    });
  });
});
