import type { Writer } from '../database/database.ts';

/**
 * The payload of each kind of job. The owner of a kind adds it by declaration merging, next to its handler:
 *
 * ```ts
 * declare module './job.ts' {
 *   interface JobPayloads {
 *     'hooks.deliver': { deliveryId: number };
 *   }
 * }
 * ```
 */
export interface JobPayloads {
  [recurring: `recurring.${string}`]: null;
}

/** A declared kind of job. */
export type JobKind = keyof JobPayloads & string;

/** One attempt at a job. */
export interface Job<Payload = unknown> {
  readonly id: number;
  readonly kind: string;
  readonly payload: Payload;
  /** Starts at 1. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /** Aborted when time is up, the server stops, or another worker has taken over; stop soon after. */
  readonly signal: AbortSignal;
  /**
   * Marks the job as done inside the handler's own transaction, so that its effect and its completion become durable
   * together: without this, a crash between the two runs the job again. Throws `LeaseLost` if another worker has it.
   */
  finish(trx: Writer): Promise<void>;
}

/** Handles a job. It may run more than once for the same job, so it must be idempotent. */
export type JobHandler<Payload> = (job: Job<Payload>) => Promise<void>;

/** How jobs of a kind are run. */
export interface JobOptions {
  /** After this time the signal is aborted, and soon after that the attempt counts as failed. */
  timeoutMs?: number;
  /** Maximum number of attempts before the job is dead. */
  maxAttempts?: number;
  /** How many jobs of the kind one worker runs concurrently. */
  concurrency?: number;
}

/** How one job is enqueued. */
export interface EnqueueOptions {
  /** Not before this time. */
  runAt?: number;
  /**
   * While a job of the same kind and key is waiting, no second one is added: the waiting one takes over the payload and
   * the earlier time.
   */
  dedupeKey?: string;
  /** Higher goes first; 0 by default. Use only a few values. */
  priority?: number;
  maxAttempts?: number;
}

/** Thrown by a handler for which another attempt is pointless: the job is dead at once. */
export class GiveUp extends Error {
  override readonly name = 'GiveUp';
}

/**
 * Thrown by a handler that has to wait for something: the job runs again after the delay, and this does not count as a
 * failure.
 */
export class RunAgain extends Error {
  override readonly name = 'RunAgain';
  readonly delayMs: number;

  constructor(delayMs: number) {
    super(`runs again in ${delayMs} ms`);
    // PostgreSQL rejects fractions of a millisecond here.
    this.delayMs = Math.ceil(delayMs);
  }
}

/** The worker failed to renew the lease in time, so another one has taken the job, or may take it. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** The attempt exceeded the time limit of its kind. */
export class JobTimeout extends Error {
  override readonly name = 'JobTimeout';
}
