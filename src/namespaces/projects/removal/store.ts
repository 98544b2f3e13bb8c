import type { Project } from '../../../access/tables.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';

/** Deletes a project's row, and with it all rows that refer to it. */
export async function deleteProjectRow(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('projects').where('id', '=', id).execute();
}

/** Some of the projects that were marked for deletion at an instant or before, the first marked first. */
export function markedUntil(db: Reader, instant: number, most: number): Promise<Project[]> {
  return db
    .selectFrom('projects')
    .selectAll()
    .where('marked_for_deletion_at', '<=', instant)
    .orderBy('marked_for_deletion_at')
    .limit(most)
    .execute();
}

/** One of the projects in a user's own namespace, while there is any. */
export function personalProject(db: Reader, userId: number): Promise<Project | undefined> {
  return db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .selectAll('projects')
    .where('namespaces.owner_id', '=', userId)
    .limit(1)
    .executeTakeFirst();
}
