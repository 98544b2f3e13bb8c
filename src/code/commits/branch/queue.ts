import { exclusive, KeyedLimiter } from '../../../platform/concurrency.ts';
import type { Git } from '../../../platform/git/git.ts';

const writesOf = new WeakMap<Git, KeyedLimiter>();

/**
 * Runs writes to one branch one after another. Every write compares and swaps the ref, so nothing is ever lost without
 * this; but of many at once all but one would fail. Other processes, and pushes, still race.
 */
export function inBranchOrder<T>(git: Git, key: string, work: () => Promise<T>): Promise<T> {
  const writes = writesOf.get(git) ?? new KeyedLimiter();
  writesOf.set(git, writes);
  return writes.run(key, exclusive, work);
}
