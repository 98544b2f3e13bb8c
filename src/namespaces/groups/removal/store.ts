import { sql } from 'kysely';
import type { Namespace, Project } from '../../../access/tables.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';

const below = (id: number) => sql<number>`(select namespace_id from namespace_ancestors where ancestor_id = ${id})`;

/** Returns the groups marked for deletion before an instant. */
export async function dueForDeletion(db: Reader, instant: number): Promise<number[]> {
  const due = await db.selectFrom('namespaces').select('id').where('marked_for_deletion_at', '<=', instant).execute();
  return due.map(({ id }) => id);
}

/** Returns any project in the group hierarchy. */
export function someProjectIn(db: Reader, id: number): Promise<Project | undefined> {
  return db.selectFrom('projects').selectAll().where('namespace_id', 'in', below(id)).limit(1).executeTakeFirst();
}

/** Returns a batch of the groups in a hierarchy, ordered by id. */
export function groupsInTree(db: Reader, id: number, after: number, limit: number): Promise<Namespace[]> {
  return db
    .selectFrom('namespaces')
    .selectAll()
    .where('id', 'in', below(id))
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

export async function deleteTree(trx: Writer, id: number): Promise<void> {
  // A single statement, because a group and its parent reference each other's rows.
  await trx.deleteFrom('namespaces').where('id', 'in', below(id)).execute();
}
