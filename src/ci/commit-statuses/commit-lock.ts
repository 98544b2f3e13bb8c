import { exclusive, KeyedLimiter } from '../../platform/concurrency.ts';
import type { Database } from '../../platform/database/database.ts';
import { Conflict } from '../../platform/http/errors.ts';
import { perServer } from '../../platform/per-server.ts';

const reportsOf = perServer((_: Database) => new KeyedLimiter());
const defaultTimeoutMs = 10_000;

/**
 * Serializes status reports on one commit, so that concurrent reports end up in the same pipeline. Throws a conflict
 * when the lock is not acquired in time.
 */
export async function withCommitLock<T>(
  db: Database,
  key: string,
  work: () => Promise<T>,
  timeoutMs = defaultTimeoutMs,
): Promise<T> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const release = await reportsOf(db)
    .acquire(key, exclusive, timeout)
    .catch((error: unknown) => {
      throw timeout.aborted ? new Conflict('Another update to this commit status is in progress') : error;
    });
  try {
    return await work();
  } finally {
    release();
  }
}
