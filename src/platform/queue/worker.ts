import { AsyncLocalStorage } from 'node:async_hooks';
import type { Database, Writer } from '../database/database.ts';
import { fault } from '../faults.ts';
import { type Attempt, type Definition, type QueueFailure, Stopping, startAttempt } from './attempt.ts';
import { LeaseLost } from './job.ts';
import { allot, type Lane } from './lanes.ts';
import { firstLeaseEnd, type LeasedJob, lease, reclaim, renew, waitingLanes } from './leases.ts';
import { claimRecurring, nextRecurring, type Recurring, registerRecurring } from './recurring.ts';

/** What a worker needs. */
export interface WorkerOptions {
  readonly db: Database;
  readonly kinds: ReadonlyMap<string, Definition>;
  readonly recurring: readonly Recurring[];
  readonly now: () => number;
  readonly onFailure: QueueFailure;
  /** Jobs run concurrently. */
  readonly concurrency: number;
  /** How long a lease lasts without renewal. */
  readonly leaseMs: number;
  /** How often to poll without being woken. */
  readonly pollMs: number;
  /** How long a handler may take to stop after being asked. */
  readonly settleMs: number;
}

/** The result of a poll. */
interface PollResult {
  /** Whether there was work. */
  readonly progressed: boolean;
  /** Jobs were running when it began: they may have enqueued work that it did not see. */
  readonly busy: boolean;
  /** When to poll again. */
  readonly pauseMs: number;
}

/** Takes due jobs and runs them. */
export class Worker {
  readonly #options: WorkerOptions;
  readonly #attempts = new Set<Attempt>();
  readonly #served = new Map<string, number>();
  // The worker may be woken in the middle of a request; its jobs must not inherit that request's async context.
  readonly #outside = AsyncLocalStorage.snapshot();
  #rounds = 0;
  #last: Promise<unknown> = Promise.resolve();
  #turning = false;
  #again = false;
  #stopped = true;
  #timer: NodeJS.Timeout | undefined;
  #renewal: NodeJS.Timeout | undefined;
  #heldUntil = 0;
  #polledAt = 0;

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#stopped = false;
    this.wake();
  }

  /** Polls now; a no-op unless started. */
  wake(): void {
    if (this.#stopped) return;
    if (this.#turning) this.#again = true;
    else this.#outside(() => void this.#turn());
  }

  /** Runs due jobs, including those that become due meanwhile, until none is left. */
  async drain(): Promise<void> {
    for (;;) {
      const { progressed, busy } = await this.#poll();
      if (this.#attempts.size > 0) await Promise.race([...this.#attempts].map(({ done }) => done));
      else if (!progressed && !busy) return;
    }
  }

  /** Takes no more jobs and waits for running ones; after the grace period, returns the rest to the queue. */
  async stop(graceMs: number): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#last;
    const all = Promise.all([...this.#attempts].map(({ done }) => done));
    const graceTimer = setTimeout(() => {
      for (const attempt of this.#attempts) attempt.abort(new Stopping('the server stops'));
    }, graceMs);
    await all;
    clearTimeout(graceTimer);
  }

  async #turn(): Promise<void> {
    this.#turning = true;
    clearTimeout(this.#timer);
    let pauseMs = this.#options.pollMs;
    try {
      do {
        this.#again = false;
        const result = await this.#poll();
        pauseMs = result.pauseMs;
        this.#again ||= result.progressed;
      } while (this.#again && !this.#stopped);
    } catch (error) {
      this.#options.onFailure(error);
    }
    this.#turning = false;
    if (!this.#stopped) this.#timer = setTimeout(() => this.wake(), pauseMs).unref();
  }

  /** One poll at a time: two would both count the same free slots. */
  #poll(): Promise<PollResult> {
    const poll = this.#last.then(() => this.#pollOnce());
    this.#last = poll.catch(() => undefined);
    return poll;
  }

  async #pollOnce(): Promise<PollResult> {
    const { db, kinds, recurring, now: clock, pollMs } = this.#options;
    const busy = this.#attempts.size > 0;
    const now = clock();
    // The clock was set back: recurring jobs must not wait until it has caught up with its earlier time.
    if (now < this.#polledAt) await registerRecurring(db, recurring, now);
    this.#polledAt = now;
    const [lanes, leaseEnd, recurringAt] = await Promise.all([
      waitingLanes(db.read),
      firstLeaseEnd(db.read),
      nextRecurring(
        db.read,
        recurring.map(({ name }) => name),
      ),
    ]);
    const ownLanes = lanes.filter(({ kind }) => kinds.has(kind));
    const claimed = (recurringAt ?? Number.POSITIVE_INFINITY) <= now ? await claimRecurring(db, recurring, now) : 0;
    const reclaimed = (leaseEnd ?? Number.POSITIVE_INFINITY) < now ? await reclaim(db, now) : 0;
    const taken = await this.#take(ownLanes.filter(({ runAt }) => runAt <= now));
    const later = [...ownLanes.map(({ runAt }) => runAt), recurringAt ?? 0].filter((at) => at > now);
    const pauseMs = Math.min(pollMs, ...later.map((at) => at - now));
    return { progressed: claimed + reclaimed + taken > 0, busy, pauseMs };
  }

  async #take(due: readonly Lane[]): Promise<number> {
    const { db, kinds, now, leaseMs, concurrency } = this.#options;
    const shares = allot(due, {
      total: concurrency - this.#attempts.size,
      of: (kind) => (kinds.get(kind)?.concurrency ?? 0) - this.#runningOf(kind),
      lastServed: (kind) => this.#served.get(kind) ?? 0,
    });
    if (shares.size === 0) return 0;
    const at = now();
    const work = async (trx: Writer) => {
      const jobs: LeasedJob[] = [];
      for (const [lane, count] of shares) {
        jobs.push(...(await lease(trx, { lane, count, now: at, until: at + leaseMs })));
      }
      return jobs;
    };
    const leased = await db.write(work, { together: true });
    if (this.#attempts.size === 0) this.#heldUntil = at + leaseMs;
    fault('queue.leased');
    for (const job of leased) this.#start(job);
    return leased.length;
  }

  #start(job: LeasedJob): void {
    const definition = this.#options.kinds.get(job.kind);
    if (!definition) throw new Error(`leased a job of the unknown kind ${job.kind}`);
    this.#served.set(job.kind, ++this.#rounds);
    const attempt = startAttempt(definition, job, this.#options);
    this.#attempts.add(attempt);
    this.#renewal ??= setInterval(() => void this.#renew(), this.#options.leaseMs / 3).unref();
    attempt.done.finally(() => {
      this.#attempts.delete(attempt);
      if (this.#attempts.size === 0) {
        clearInterval(this.#renewal);
        this.#renewal = undefined;
      }
      this.wake();
    });
  }

  async #renew(): Promise<void> {
    const { db, now, leaseMs, onFailure } = this.#options;
    const attempts = [...this.#attempts];
    const until = now() + leaseMs;
    try {
      const held = new Set(
        await renew(
          db,
          attempts.map(({ leased }) => leased),
          until,
        ),
      );
      this.#heldUntil = until;
      for (const attempt of attempts) if (!held.has(attempt.leased)) attempt.abort(new LeaseLost('taken over'));
    } catch (error) {
      onFailure(error);
      // Others may not have noticed our silence yet, but from here on anybody may take over.
      if (this.#heldUntil < now()) for (const attempt of attempts) attempt.abort(new LeaseLost('not renewed in time'));
    }
  }

  #runningOf(kind: string): number {
    let count = 0;
    for (const { leased } of this.#attempts) if (leased.kind === kind) count += 1;
    return count;
  }
}
