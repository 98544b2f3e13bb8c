import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifMissing } from '../../missing.ts';
import type { Repository } from '../process/command.ts';
import { type HousekeepingOptions, housekeep } from './housekeeping.ts';
import { COMMIT_GRAPH_MARK, packFiles } from './housekeeping-state.ts';

/**
 * Brings the commit-graph up to date when much history has come in, as a first push, a fork or an import brings it: until
 * then the log of a path reads every tree of the history. What came in loose is little, and waits for the housekeeping.
 * Returns whether it was written.
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
