import { sql } from 'kysely';
import type { Writer } from '../../../platform/database/database.ts';

/** Limits the visibility of a group and its descendants. */
export async function lowerVisibility(trx: Writer, id: number, visibility: number): Promise<void> {
  const below = sql<number>`(select namespace_id from namespace_ancestors where ancestor_id = ${id})`;
  await trx
    .updateTable('namespaces')
    .set({ visibility })
    .where('id', 'in', below)
    .where('visibility', '>', visibility)
    .execute();
}
