import { setTimeout } from 'node:timers/promises';
import type { Database } from '../../platform/database/database.ts';
import { Conflict } from '../../platform/http/errors.ts';

const queuesOf = new WeakMap<Database, Map<string, Promise<void>>>();
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
  const queues = queuesOf.get(db) ?? new Map<string, Promise<void>>();
  queuesOf.set(db, queues);
  const before = queues.get(key);
  const mine = Promise.withResolvers<void>();
  const over = before ? before.then(() => mine.promise) : mine.promise;
  queues.set(key, over);
  try {
    if (before && !(await comesWithin(before, patience))) {
      throw new Conflict('Another update to this commit status is in progress');
    }
    return await work();
  } finally {
    mine.resolve();
    if (queues.get(key) === over) queues.delete(key);
  }
}

async function comesWithin(turn: Promise<void>, patience: number): Promise<boolean> {
  const given = new AbortController();
  const late = setTimeout(patience, false, { signal: given.signal }).catch(() => false);
  const came = await Promise.race([turn.then(() => true), late]);
  given.abort();
  return came;
}
