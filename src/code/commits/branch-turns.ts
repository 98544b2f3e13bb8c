import type { Git } from '../../platform/git/git.ts';

const turnsOf = new WeakMap<Git, Map<string, Promise<void>>>();

/**
 * Runs writes to one branch one after another. Every write compares and swaps the ref, so nothing is ever lost without
 * this; but of many at once all but one would fail. Other processes, and pushes, still race.
 */
export async function inTurn<T>(git: Git, key: string, work: () => Promise<T>): Promise<T> {
  const turns = turnsOf.get(git) ?? new Map<string, Promise<void>>();
  turnsOf.set(git, turns);
  const before = turns.get(key);
  const mine = before ? before.then(work) : work();
  const over = mine.then(nothing, nothing);
  turns.set(key, over);
  try {
    return await mine;
  } finally {
    if (turns.get(key) === over) turns.delete(key);
  }
}

function nothing(): void {}
