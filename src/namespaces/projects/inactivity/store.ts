import { sql } from 'kysely';
import type { Project } from '../../../access/tables.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';

/** An inactive project and when its members were warned. */
export type InactiveProject = Project & { readonly warned_at: number | null };

/** Returns a batch of projects of at least a given size without activity since an instant, ordered by id. */
export function inactiveSince(
  db: Reader,
  { since, minBytes, after }: { readonly since: number; readonly minBytes: number; readonly after: number },
  limit: number,
): Promise<InactiveProject[]> {
  return db
    .selectFrom('projects as p')
    .leftJoin('inactive_project_warnings as w', 'w.project_id', 'p.id')
    .selectAll('p')
    .select('w.warned_at')
    .where('p.id', '>', after)
    .where('p.last_activity_at', '<', since)
    .where('p.marked_for_deletion_at', 'is', null)
    .where(sql<number>`p.repository_size + p.lfs_objects_size + p.uploads_size + p.packages_size`, '>=', minBytes)
    .orderBy('p.id')
    .limit(limit)
    .execute();
}

/** Records that the members of a project were warned. */
export async function recordWarning(trx: Writer, projectId: number, warned_at: number): Promise<void> {
  await trx
    .insertInto('inactive_project_warnings')
    .values({ project_id: projectId, warned_at })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet({ warned_at }))
    .execute();
}

/** Deletes the record, so that a restored project is warned about again. */
export async function deleteWarning(trx: Writer, projectId: number): Promise<void> {
  await trx.deleteFrom('inactive_project_warnings').where('project_id', '=', projectId).execute();
}
