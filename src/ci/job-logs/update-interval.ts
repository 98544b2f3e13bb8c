import { LRUCache } from 'lru-cache';

/** Seconds after which a runner sends more of a log: while somebody reads it, and otherwise. */
const intervals = { watched: 3, alone: 10 };
const watchedFor = 30_000;

/**
 * Until when each log counts as being read. A hint for runners alone, so each process has its own: who reads through
 * another process sees the log some seconds later.
 */
const watchedUntil = new LRUCache<number, number>({ max: 10_000 });

/** Notes that somebody reads the log of a job. */
export function noteReader(jobId: number, now = Date.now()): void {
  watchedUntil.set(jobId, now + watchedFor);
}

/** How many seconds a runner may keep what a job prints to itself. */
export function updateInterval(jobId: number, now = Date.now()): number {
  const until = watchedUntil.get(jobId);
  if (until !== undefined && until > now) return intervals.watched;
  watchedUntil.delete(jobId);
  return intervals.alone;
}
