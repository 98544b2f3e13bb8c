import { AsyncLocalStorage } from 'node:async_hooks';
import { afterCommit, type Database } from '../database/database.ts';
import { fault } from '../faults.ts';
import { type Job, type JobHandler, JobTimeout, LeaseLost, RunAgain } from './job.ts';
import type { LeasedJob } from './leases.ts';
import { fail, release, remove } from './outcome.ts';

/** A kind of job and its handler. */
export interface Definition {
  readonly kind: string;
  readonly handler: JobHandler<unknown>;
  readonly timeoutMs: number;
  readonly maxAttempts: number;
  readonly concurrency: number;
}

/** Called with every failure, and the job in which it occurred. */
export type QueueFailure = (error: unknown, job?: { id: number; kind: string; attempt: number }) => void;

const running = new AsyncLocalStorage<LeasedJob>();

/** Whether this code runs in a background job rather than in a request: for counting what a request costs. */
export function insideJob(): boolean {
  return running.getStore() !== undefined;
}

/** The worker is stopping. */
export class Stopping extends Error {
  override readonly name = 'Stopping';
}

/** A running attempt. */
export interface Attempt {
  readonly leased: LeasedJob;
  /** Resolves, never rejects, once the outcome is recorded. */
  readonly done: Promise<void>;
  /** Asks the handler to stop. */
  abort(reason: Error): void;
}

interface AttemptEnvironment {
  readonly db: Database;
  readonly now: () => number;
  readonly onFailure: QueueFailure;
  /** How long a handler may take to stop after being asked. */
  readonly settleMs: number;
}

/** Starts the handler on a leased job. */
export function startAttempt(definition: Definition, leased: LeasedJob, environment: AttemptEnvironment): Attempt {
  const controller = new AbortController();
  const report = (error: unknown) =>
    environment.onFailure(error, { id: leased.id, kind: leased.kind, attempt: leased.attempts });
  const done = run(definition, leased, controller, environment, report).catch(report);
  return { leased, done, abort: (reason) => controller.abort(reason) };
}

async function run(
  definition: Definition,
  leased: LeasedJob,
  controller: AbortController,
  { db, now, settleMs }: AttemptEnvironment,
  report: (error: unknown) => void,
): Promise<void> {
  let finished = false;
  const job = jobOf(leased, controller.signal, () => {
    finished = true;
  });
  try {
    await inTime(() => running.run(leased, () => definition.handler(job)), definition.timeoutMs, controller, settleMs);
    fault('queue.ran');
    if (!finished && !(await db.write((trx) => remove(trx, leased), { together: true })))
      throw new LeaseLost(`job ${leased.id} was taken over`);
    fault('queue.done');
  } catch (error) {
    const reason: unknown = controller.signal.aborted ? controller.signal.reason : error;
    if (!(reason instanceof RunAgain || reason instanceof Stopping)) report(reason);
    if (finished || reason instanceof LeaseLost) return;
    if (reason instanceof Stopping) await release(db, leased, now());
    else await fail(db, leased, reason, now());
  }
}

function jobOf(leased: LeasedJob, signal: AbortSignal, onFinished: () => void): Job {
  return {
    id: leased.id,
    kind: leased.kind,
    payload: JSON.parse(leased.payload),
    attempt: leased.attempts,
    maxAttempts: leased.max_attempts,
    signal,
    async finish(trx) {
      if (!(await remove(trx, leased))) throw new LeaseLost(`job ${leased.id} was taken over`);
      afterCommit(trx, onFinished);
    },
  };
}

// A handler that ignores the signal is abandoned after a while: it cannot be stopped, but its slot can be reused.
// Whatever it still does finds its lease gone.
function inTime(
  work: () => Promise<void>,
  timeoutMs: number,
  controller: AbortController,
  settleMs: number,
): Promise<void> {
  const { signal } = controller;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let graceTimer: NodeJS.Timeout | undefined;
  const timeout = setTimeout(() => controller.abort(new JobTimeout(`not done after ${timeoutMs} ms`)), timeoutMs);
  signal.addEventListener('abort', () => {
    graceTimer = setTimeout(() => reject(signal.reason), settleMs);
  });
  Promise.try(work).then(resolve, reject);
  return promise.finally(() => {
    clearTimeout(timeout);
    clearTimeout(graceTimer);
  });
}
