import { createHash } from 'node:crypto';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { Project } from '../../access/tables.ts';
import { levelOfWord } from '../../namespaces/projects/settings/field-kinds.ts';
import { settingsFor } from '../../namespaces/projects/settings/values.ts';
import { hasFeature } from '../../namespaces/projects/views/full.ts';
import { repositoryExists } from '../../platform/git/repository.ts';
import { housekeep } from '../../platform/git/upkeep/housekeeping.ts';
import { Conflict, Forbidden } from '../../platform/http/errors.ts';
import { instant } from '../../platform/http/schema.ts';

export type HousekeepingTask = 'eager' | 'prune';

const longest = 24 * 60 * 60 * 1000;

/** Lets a repository be tidied up in the background; 409 while that was asked for already. */
export async function enqueueHousekeeping(
  { db, queue }: Services,
  { id }: Project,
  task: HousekeepingTask = 'eager',
): Promise<null> {
  const now = Date.now();
  await db.write(async (trx) => {
    const claimed = await trx
      .updateTable('projects')
      .set({ housekeeping_since: now })
      .where('id', '=', id)
      .where((eb) => eb.or([eb('housekeeping_since', 'is', null), eb('housekeeping_since', '<', now - longest)]))
      .executeTakeFirst();
    if (Number(claimed.numUpdatedRows) === 0) {
      throw new Conflict('Somebody already triggered housekeeping for this resource in the past 1440 minutes.');
    }
    await queue.enqueue(trx, 'projects.housekeep', { projectId: id, task }, { dedupeKey: `${id}` });
  });
  return null;
}

/** Tidies up a repository: as much as its state asks for, or everything. */
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
    // Removed while it was tidied up.
    if (await repositoryExists(repo)) throw error;
  }
  await db.write((trx) =>
    trx.updateTable('projects').set({ housekeeping_since: null }).where('id', '=', projectId).execute(),
  );
}

/** Where a project's repository lies, as administrators know it. */
export function presentStorage(project: Project): object {
  const hash = createHash('sha256').update(String(project.id)).digest('hex');
  return {
    disk_path: `@hashed/${hash.slice(0, 2)}/${hash.slice(2, 4)}/${hash}`,
    project_id: project.id,
    repository_storage: project.repository_storage,
    created_at: instant(project.created_at),
  };
}

/** 403 unless the viewer may see what the project publishes as pages. */
export function requirePages(subject: ProjectSubject): null {
  const set = settingsFor(subject.project).pages_access_level;
  const level = set === undefined ? (subject.project.visibility === 20 ? 20 : 10) : levelOfWord(set);
  if (!hasFeature(subject, level)) throw new Forbidden();
  return null;
}
