import type { Project } from '../../../access/tables.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';

/** Deletes the project row; referencing rows are deleted by cascade. */
export async function deleteProjectRow(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('projects').where('id', '=', id).execute();
}

/** Returns a batch of projects marked for deletion until an instant, oldest first. */
export function dueForDeletion(db: Reader, instant: number, limit: number): Promise<Project[]> {
  return db
    .selectFrom('projects')
    .selectAll()
    .where('marked_for_deletion_at', '<=', instant)
    .orderBy('marked_for_deletion_at')
    .limit(limit)
    .execute();
}

/** Returns any project in a user's personal namespace. */
export function personalProject(db: Reader, userId: number): Promise<Project | undefined> {
  return db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .selectAll('projects')
    .where('namespaces.owner_id', '=', userId)
    .limit(1)
    .executeTakeFirst();
}
