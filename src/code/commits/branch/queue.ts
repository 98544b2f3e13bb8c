import type { Git } from '../../../platform/git/git.ts';

const queuesOf = new WeakMap<Git, Map<string, Promise<void>>>();

/**
 * Runs writes to one branch one after another. Every write compares and swaps the ref, so nothing is ever lost without
 * this; but of many at once all but one would fail. Other processes, and pushes, still race.
 */
export async function inBranchOrder<T>(git: Git, key: string, work: () => Promise<T>): Promise<T> {
  const queues = queuesOf.get(git) ?? new Map<string, Promise<void>>();
  queuesOf.set(git, queues);
  const before = queues.get(key);
  const mine = before ? before.then(work) : work();
  const over = mine.then(nothing, nothing);
  queues.set(key, over);
  try {
    return await mine;
  } finally {
    if (queues.get(key) === over) queues.delete(key);
  }
}

function nothing(): void {}
