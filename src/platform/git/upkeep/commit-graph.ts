import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifMissing } from '../../missing.ts';
import type { Repository } from '../process/command.ts';
import { type HousekeepingOptions, housekeep } from './housekeeping.ts';
import { COMMIT_GRAPH_MARK, packFiles } from './housekeeping-state.ts';

/**
 * Updates the commit-graph after a large amount of history was added, for example by a first push, a fork or an import:
 * without it, the log of a path reads every tree of the history. Small pushes stay loose and wait for housekeeping.
 * Returns whether the graph was written.
 */
export async function indexNewHistory(
  repo: Repository,
  options: Pick<HousekeepingOptions, 'signal'> = {},
): Promise<boolean> {
  const written = await stat(join(repo.path, COMMIT_GRAPH_MARK)).catch(ifMissing);
  const packs = await packFiles(repo);
  if (!packs.some((pack) => !pack.cruft && pack.mtime > (written?.mtimeMs ?? 0))) return false;
  const { busy } = await housekeep(repo, { ...options, actions: ['commit-graph'] });
  return !busy;
}
