import { exclusive, KeyedLimiter } from '../../platform/concurrency.ts';
import type { Database } from '../../platform/database/database.ts';
import { Conflict } from '../../platform/http/errors.ts';

const reportsOf = new WeakMap<Database, KeyedLimiter>();
const usualPatience = 10_000;

/**
 * Runs reports on one commit one after another, as a lock on it would: a service that reports from many places at once
 * then fills one pipeline. Whoever waits too long is told to come again.
 */
export async function withCommitLock<T>(
  db: Database,
  key: string,
  work: () => Promise<T>,
  patience = usualPatience,
): Promise<T> {
  const reports = reportsOf.get(db) ?? new KeyedLimiter();
  reportsOf.set(db, reports);
  const late = AbortSignal.timeout(patience);
  const release = await reports.acquire(key, exclusive, late).catch((error: unknown) => {
    throw late.aborted ? new Conflict('Another update to this commit status is in progress') : error;
  });
  try {
    return await work();
  } finally {
    release();
  }
}
