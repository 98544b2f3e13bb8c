import { afterCommit, type Database, type Writer } from '../database/database.ts';
import type { Signals } from '../signals/signals.ts';
import type { Definition, QueueFailure } from './attempt.ts';
import { countDead, countJobs, type DeadJob, discard, listDead, restartDeadJob } from './dead.ts';
import { insertJob } from './enqueue.ts';
import type { EnqueueOptions, JobHandler, JobKind, JobOptions, JobPayloads } from './job.ts';
import { type Recurring, registerRecurring } from './recurring.ts';
import { nextRun, type Schedule } from './schedule.ts';
import type { JobState } from './tables.ts';
import { removeWaiting, unfinishedKeys } from './waiting.ts';
import { Worker } from './worker.ts';

export { insideJob } from './attempt.ts';
export type { DeadJob } from './dead.ts';
export { GiveUp, type Job, type JobPayloads, LeaseLost, RunAgain } from './job.ts';
export type { Schedule } from './schedule.ts';

/** Background jobs in the database: a crash loses nothing, and failed jobs are retried or kept for inspection. */
export interface Queue {
  /** Adds a job in the caller's transaction: it exists if and only if that commits. Returns its id. */
  enqueue<K extends JobKind>(trx: Writer, kind: K, payload: JobPayloads[K], options?: EnqueueOptions): Promise<number>;
  /** Removes the job of this kind and key if it is still waiting, because its work has been done. */
  withdraw(trx: Writer, kind: JobKind, dedupeKey: string): Promise<boolean>;
  /** Returns those of the keys for which a job of the kind is waiting or running. */
  underWay(kind: JobKind, dedupeKeys: readonly string[]): Promise<ReadonlySet<string>>;
  /** Defines the handler of a kind of job. Kinds without a handler here wait for a worker that has one. */
  defineJob<K extends JobKind>(kind: K, handler: JobHandler<JobPayloads[K]>, options?: JobOptions): void;
  /** Recurring work, once per period however many servers there are; runs as a job of kind `recurring.<name>`. */
  recurring(name: string, schedule: Schedule, handler: JobHandler<null>, options?: JobOptions): void;
  /** Starts running jobs; every handler must be defined by then. */
  start(): Promise<void>;
  /** Runs all due jobs, including those that become due meanwhile, then resolves; for tests and commands. */
  drain(): Promise<void>;
  /**
   * Takes no more jobs and waits for running ones; after the grace period, aborts them and returns them to the queue.
   */
  stop(options?: { graceMs?: number }): Promise<void>;
  counts(): Promise<Record<JobState, number>>;
  /** The number of dead jobs of each kind. */
  deadCounts(): Promise<ReadonlyMap<string, number>>;
  /** Newest first; `before` is the last id of the previous page. */
  listDead(options?: { kind?: string; before?: number; limit?: number }): Promise<DeadJob[]>;
  /** Restarts a dead job; false if there is none of that id. */
  retryDead(id: number): Promise<boolean>;
  discardDead(id: number): Promise<boolean>;
}

/** What a queue needs; times in milliseconds. */
export interface QueueOptions {
  db: Database;
  signals: Signals;
  onFailure: QueueFailure;
  now?: () => number;
  /** The number of jobs that this process runs concurrently. */
  concurrency?: number;
  leaseMs?: number;
  pollMs?: number;
  settleMs?: number;
}

const channel = 'queue';
const defaults = { timeoutMs: 10 * 60_000, maxAttempts: 25, concurrency: 5 };
const defaultOptions = { now: Date.now, concurrency: 10, leaseMs: 60_000, pollMs: 5000, settleMs: 5000 };

/** Creates the queue; it runs nothing before `start` or `drain`. */
export function createQueue(options: QueueOptions): Queue {
  const { db, signals, now } = { ...defaultOptions, ...options };
  const kinds = new Map<string, Definition>();
  const recurring: Recurring[] = [];
  const worker = new Worker({ ...defaultOptions, ...options, kinds, recurring });
  let off: (() => void) | undefined;

  const define = <P>(kind: string, handler: JobHandler<P>, own: JobOptions): Definition => {
    if (kinds.has(kind)) throw new Error(`jobs of kind ${kind} already have a handler`);
    const definition = { ...defaults, ...own, kind, handler: handler as JobHandler<unknown> };
    kinds.set(kind, definition);
    return definition;
  };

  return {
    async enqueue(trx, kind, payload, { maxAttempts, ...rest } = {}) {
      const most = maxAttempts ?? kinds.get(kind)?.maxAttempts ?? defaults.maxAttempts;
      const id = await insertJob(trx, kind, payload, { ...rest, maxAttempts: most, now: now() });
      afterCommit(trx, () => signals.notify(channel));
      return id;
    },
    withdraw: (trx, kind, dedupeKey) => removeWaiting(trx, kind, dedupeKey),
    underWay: (kind, dedupeKeys) => unfinishedKeys(db.read, kind, dedupeKeys),
    defineJob(kind, handler, own = {}) {
      define(kind, handler, own);
    },
    recurring(name, schedule, handler, own = {}) {
      nextRun(schedule, 0);
      const { kind, maxAttempts } = define(`recurring.${name}`, handler, { concurrency: 1, maxAttempts: 5, ...own });
      recurring.push({ name, kind, schedule, maxAttempts });
    },
    async start() {
      await registerRecurring(db, recurring, now());
      off = signals.on(channel, () => worker.wake());
      worker.start();
    },
    async drain() {
      await registerRecurring(db, recurring, now());
      await worker.drain();
    },
    async stop({ graceMs = 30_000 } = {}) {
      off?.();
      await worker.stop(graceMs);
    },
    counts: () => countJobs(db.read),
    deadCounts: () => countDead(db.read),
    listDead: (page) => listDead(db.read, page),
    async retryDead(id) {
      const revived = await restartDeadJob(db, id, now());
      if (revived) signals.notify(channel);
      return revived;
    },
    discardDead: (id) => discard(db, id),
  };
}
