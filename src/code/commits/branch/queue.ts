import { setTimeout } from 'node:timers/promises';
import { exclusive, KeyedLimiter } from '../../../platform/concurrency.ts';
import type { Git } from '../../../platform/git/git.ts';
import { perServer } from '../../../platform/per-server.ts';
import { BranchNotMoved } from './move.ts';

const writesOf = perServer((_: Git) => new KeyedLimiter());

/** How long a write that lost a race is retried. */
const DEADLINE_MS = 10_000;
const MAX_PAUSE_MS = 50;

/**
 * Serializes the writes to one branch within this process. Every write is a compare-and-swap of the ref, so nothing is
 * lost without this, but of many concurrent writes all but one would fail. Other processes and pushes still race: a
 * write that lost is retried on the new tip until it succeeds, is rejected, or the deadline passes.
 */
export function serializeBranchWrites<T>(git: Git, key: string, work: () => Promise<T>): Promise<T> {
  return writesOf(git).run(key, exclusive, () => retryRaces(work));
}

async function retryRaces<T>(work: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + DEADLINE_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof BranchNotMoved && error.raced) || Date.now() > deadline) throw error;
      // A random pause, so that two competing writers do not stay in step.
      await setTimeout(Math.random() * MAX_PAUSE_MS);
    }
  }
}
