import type { Services } from '../../../access/services.ts';
import { perServer } from '../../../platform/per-server.ts';
import type { MergeRequestRow } from '../tables.ts';

/** The last merge into each branch; removed when it ends and no other is waiting. */
const lastTurns = perServer<Services, Map<string, Promise<void>>>(() => new Map());

/**
 * Runs merges into the same branch one after another. Each starts from the tip that the previous one leaves: running
 * concurrently, all but one would have to be repeated, and some would lose against the others until they give up.
 */
export async function inTurn<T>(
  services: Services,
  { project_id, target_branch }: Pick<MergeRequestRow, 'project_id' | 'target_branch'>,
  merge: () => Promise<T>,
): Promise<T> {
  const turns = lastTurns(services);
  const key = `${project_id} ${target_branch}`;
  const previous = turns.get(key);
  const { promise: turn, resolve: end } = Promise.withResolvers<void>();
  turns.set(key, turn);
  await previous;
  try {
    return await merge();
  } finally {
    if (turns.get(key) === turn) turns.delete(key);
    end();
  }
}
