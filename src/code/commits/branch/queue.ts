import { setTimeout } from 'node:timers/promises';
import { exclusive, KeyedLimiter } from '../../../platform/concurrency.ts';
import type { Git } from '../../../platform/git/git.ts';
import { perServer } from '../../../platform/per-server.ts';
import { BranchNotMoved } from './move.ts';

const writesOf = perServer((_: Git) => new KeyedLimiter());

/** For so long a write tries again that others were faster with. */
const DEADLINE_MS = 10_000;
const LONGEST_PAUSE_MS = 50;

/**
 * Runs writes to one branch one after another. Every write compares and swaps the ref, so nothing is ever lost without
 * this; but of many at once all but one would fail. Other processes, and pushes, still race: a write that they were
 * faster than begins anew from what the branch has now, until it succeeds, is refused, or the deadline has passed.
 */
export function inBranchOrder<T>(git: Git, key: string, work: () => Promise<T>): Promise<T> {
  return writesOf(git).run(key, exclusive, () => untilMoved(work));
}

async function untilMoved<T>(work: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + DEADLINE_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof BranchNotMoved && error.raced) || Date.now() > deadline) throw error;
      // Two that keep the same pace would go on meeting.
      await setTimeout(Math.random() * LONGEST_PAUSE_MS);
    }
  }
}
