import { sql } from 'kysely';
import type { Namespace, Project } from '../../../access/tables.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';

const below = (id: number) => sql<number>`(select namespace_id from namespace_ancestors where ancestor_id = ${id})`;

/** The groups that were marked until then. */
export async function markedUntil(db: Reader, instant: number): Promise<number[]> {
  const due = await db.selectFrom('namespaces').select('id').where('marked_for_deletion_at', '<=', instant).execute();
  return due.map(({ id }) => id);
}

/** One of the projects in or below a group. */
export function someProjectIn(db: Reader, id: number): Promise<Project | undefined> {
  return db.selectFrom('projects').selectAll().where('namespace_id', 'in', below(id)).limit(1).executeTakeFirst();
}

/** Some of the groups in a tree, in the order of their numbers. */
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

/** Deletes a group and those below it. */
export async function deleteTree(trx: Writer, id: number): Promise<void> {
  // One statement: a group and its parent refer to each other's row until both are gone.
  await trx.deleteFrom('namespaces').where('id', 'in', below(id)).execute();
}
