import { AsyncLocalStorage } from 'node:async_hooks';
import { afterCommit, type Database } from '../database/database.ts';
import { fault } from '../faults.ts';
import { type Job, type JobHandler, JobTimeout, LeaseLost, RunAgain } from './job.ts';
import type { LeasedJob } from './leases.ts';
import { fail, release, remove } from './outcome.ts';

/** A kind of job and how it is run. */
export interface Definition {
  readonly kind: string;
  readonly handler: JobHandler<unknown>;
  readonly timeoutMs: number;
  readonly maxAttempts: number;
  readonly concurrency: number;
}

/** Told of everything that goes wrong, with the job that it went wrong in. */
export type QueueFailure = (error: unknown, job?: { id: number; kind: string; attempt: number }) => void;

const running = new AsyncLocalStorage<LeasedJob>();

/** Is this part of a background job, rather than of a request? For those who count what a request costs. */
export function insideJob(): boolean {
  return running.getStore() !== undefined;
}

/** The worker is told to stop. */
export class Stopping extends Error {
  override readonly name = 'Stopping';
}

/** An attempt under way. */
export interface Attempt {
  readonly leased: LeasedJob;
  /** Resolves, never rejects, when the outcome is recorded. */
  readonly done: Promise<void>;
  /** Asks the handler to stop. */
  abort(reason: Error): void;
}

interface Surroundings {
  readonly db: Database;
  readonly now: () => number;
  readonly onFailure: QueueFailure;
  /** How long a handler has to stop after it was asked to. */
  readonly settleMs: number;
}

/** Starts the handler on a leased job. */
export function startAttempt(definition: Definition, leased: LeasedJob, around: Surroundings): Attempt {
  const controller = new AbortController();
  const report = (error: unknown) =>
    around.onFailure(error, { id: leased.id, kind: leased.kind, attempt: leased.attempts });
  const done = run(definition, leased, controller, around, report).catch(report);
  return { leased, done, abort: (reason) => controller.abort(reason) };
}

async function run(
  definition: Definition,
  leased: LeasedJob,
  controller: AbortController,
  { db, now, settleMs }: Surroundings,
  report: (error: unknown) => void,
): Promise<void> {
  let finished = false;
  const job = jobOf(leased, controller.signal, () => {
    finished = true;
  });
  try {
    await inTime(() => running.run(leased, () => definition.handler(job)), definition.timeoutMs, controller, settleMs);
    fault('queue.ran');
    if (!finished && !(await db.write((trx) => remove(trx, leased))))
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

// A handler that does not heed the signal is left to itself after a while: it cannot be stopped, but its place can be
// given to another. What it still does finds its lease gone.
function inTime(
  work: () => Promise<void>,
  timeoutMs: number,
  controller: AbortController,
  settleMs: number,
): Promise<void> {
  const { signal } = controller;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let patience: NodeJS.Timeout | undefined;
  const timeout = setTimeout(() => controller.abort(new JobTimeout(`not done after ${timeoutMs} ms`)), timeoutMs);
  signal.addEventListener('abort', () => {
    patience = setTimeout(() => reject(signal.reason), settleMs);
  });
  Promise.try(work).then(resolve, reject);
  return promise.finally(() => {
    clearTimeout(timeout);
    clearTimeout(patience);
  });
}
