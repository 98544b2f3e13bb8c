import { exclusive, KeyedLimiter } from '../../platform/concurrency.ts';
import type { Database } from '../../platform/database/database.ts';
import { Conflict } from '../../platform/http/errors.ts';
import { perServer } from '../../platform/per-server.ts';

const reportsOf = perServer((_: Database) => new KeyedLimiter());
const defaultPatience = 10_000;

/**
 * Runs reports on one commit one after another, as a lock on it would: a service that reports from many places at once
 * then fills one pipeline. Whoever waits too long is told to come again.
 */
export async function withCommitLock<T>(
  db: Database,
  key: string,
  work: () => Promise<T>,
  patience = defaultPatience,
): Promise<T> {
  const late = AbortSignal.timeout(patience);
  const release = await reportsOf(db)
    .acquire(key, exclusive, late)
    .catch((error: unknown) => {
      throw late.aborted ? new Conflict('Another update to this commit status is in progress') : error;
    });
  try {
    return await work();
  } finally {
    release();
  }
}
