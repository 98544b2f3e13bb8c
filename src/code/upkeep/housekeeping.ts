import type { Services } from '../../access/services.ts';
import type { Project } from '../../access/tables.ts';
import { claimHousekeeping, updateRepositoryColumns } from '../../namespaces/projects/public.ts';
import { repositoryExists } from '../../platform/git/repository.ts';
import { housekeep } from '../../platform/git/upkeep/housekeeping.ts';
import { Conflict } from '../../platform/http/errors.ts';

export type HousekeepingTask = 'eager' | 'prune';

const maxLength = 24 * 60 * 60 * 1000;

/** Queues the housekeeping of a repository. Throws 409 if it has already been requested. */
export async function enqueueHousekeeping(
  { db, queue }: Services,
  { id }: Project,
  task: HousekeepingTask = 'eager',
): Promise<null> {
  await db.write(async (trx) => {
    if (!(await claimHousekeeping(trx, id, Date.now() - maxLength))) {
      throw new Conflict('Somebody already triggered housekeeping for this resource in the past 1440 minutes.');
    }
    await queue.enqueue(trx, 'projects.housekeep', { projectId: id, task }, { dedupeKey: `${id}` });
  });
  return null;
}

/** Runs housekeeping on a repository: what its state requires, or everything for `prune`. */
export async function housekeepProject(
  { db, git }: Services,
  { projectId, task }: { readonly projectId: number; readonly task: HousekeepingTask },
  signal: AbortSignal,
): Promise<void> {
  const repo = git.repository(projectId);
  const actions = task === 'prune' ? { actions: ['pack-refs', 'full-repack', 'commit-graph'] as const } : {};
  try {
    if (await repositoryExists(repo)) await housekeep(repo, { signal, ...actions });
  } catch (error) {
    // Ignore errors if the project was deleted meanwhile.
    if (await repositoryExists(repo)) throw error;
  }
  await db.write((trx) => updateRepositoryColumns(trx, projectId, { housekeeping_since: null }));
}
