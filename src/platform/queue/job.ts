import type { Writer } from '../database/database.ts';

/**
 * What each kind of job carries, by kind. Whoever owns a kind adds it by declaration, beside its handler:
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

/** A kind of job that somebody has declared. */
export type JobKind = keyof JobPayloads & string;

/** One attempt at a job. */
export interface Job<Payload = unknown> {
  readonly id: number;
  readonly kind: string;
  readonly payload: Payload;
  /** From 1. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /** Aborted when the time is up, the server stops, or another worker has taken over; stop soon after. */
  readonly signal: AbortSignal;
  /**
   * Marks the job done inside the handler's own transaction, so that its effect and its end become durable together:
   * without this, a crash between the two runs the job once more. Throws `LeaseLost` when another worker has it.
   */
  finish(trx: Writer): Promise<void>;
}

/** Does the work. It may be run more than once, so its effect must be the same when repeated. */
export type JobHandler<Payload> = (job: Job<Payload>) => Promise<void>;

/** How jobs of a kind are run. */
export interface JobOptions {
  /** After which the signal is aborted, and soon after that the attempt counts as failed. */
  timeoutMs?: number;
  /** How often it is tried before it is dead. */
  maxAttempts?: number;
  /** How many of the kind one worker runs at once. */
  concurrency?: number;
}

/** How one job is put in. */
export interface EnqueueOptions {
  /** Not before this instant. */
  runAt?: number;
  /** While a job of the same kind and key waits, no second is added: that one takes over the payload and the earlier time. */
  dedupeKey?: string;
  /** Higher goes first; 0 unless told. Keep to a few values. */
  priority?: number;
  maxAttempts?: number;
}

/** Thrown by a handler for which another attempt is pointless: the job is dead at once. */
export class GiveUp extends Error {
  override readonly name = 'GiveUp';
}

/** Thrown by a handler that has to wait for something: the job runs again after the delay, and this was no failure. */
export class RunAgain extends Error {
  override readonly name = 'RunAgain';
  readonly delayMs: number;

  constructor(delayMs: number) {
    super(`to be run again in ${delayMs} ms`);
    // PostgreSQL takes no part of a millisecond for a moment.
    this.delayMs = Math.ceil(delayMs);
  }
}

/** The worker was silent for so long that another one has the job, or may take it. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** The attempt took longer than its kind may. */
export class JobTimeout extends Error {
  override readonly name = 'JobTimeout';
}
