import { LRUCache } from 'lru-cache';

/** Seconds between log updates of a runner: while a user watches the log, and otherwise. */
const intervals = { watched: 3, unwatched: 10 };
const watchDurationMs = 30_000;

/**
 * Until when each log counts as watched. This is only a hint for runners, so it is kept per process: with several
 * processes, some updates arrive later.
 */
const watchedUntil = new LRUCache<number, number>({ max: 10_000 });

/** Marks the log of a job as being watched. */
export function markWatched(jobId: number, now = Date.now()): void {
  watchedUntil.set(jobId, now + watchDurationMs);
}

/** Seconds that a runner should wait between log updates. */
export function updateInterval(jobId: number, now = Date.now()): number {
  const until = watchedUntil.get(jobId);
  if (until !== undefined && until > now) return intervals.watched;
  watchedUntil.delete(jobId);
  return intervals.unwatched;
}
