import type { Insertable, Updateable } from 'kysely';
import type { Namespace } from '../../access/tables.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import type { BatchRange } from '../project-exports/public.ts';
import type { GroupExportRow, GroupExportsTable } from './tables.ts';

export function findExport(db: Reader, groupId: number): Promise<GroupExportRow | undefined> {
  return db.selectFrom('group_exports').selectAll().where('namespace_id', '=', groupId).executeTakeFirst();
}

/** Requests a new export; the previous file is kept until it is replaced. */
export async function requestExport(trx: Writer, row: Insertable<GroupExportsTable>): Promise<void> {
  const { status, asked_at } = row;
  await trx
    .insertInto('group_exports')
    .values(row)
    .onConflict((conflict) => conflict.column('namespace_id').doUpdateSet({ status, asked_at, error: null }))
    .execute();
}

/** Returns false if the group was deleted. */
export async function updateExport(
  trx: Writer,
  groupId: number,
  columns: Updateable<GroupExportsTable>,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('group_exports')
    .set(columns)
    .where('namespace_id', '=', groupId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** A batch of expired exports. */
export function exportsBefore(
  db: Reader,
  before: number,
): Promise<{ namespace_id: number; storage_key: string | null }[]> {
  return db
    .selectFrom('group_exports')
    .select(['namespace_id', 'storage_key'])
    .where('storage_key', 'is not', null)
    .where('finished_at', '<', before)
    .orderBy('finished_at')
    .limit(100)
    .execute();
}

/** Direct subgroups in batches by ID, except those scheduled for deletion. */
export function subgroupsAfter(db: Reader, { of, after, limit }: BatchRange): Promise<Namespace[]> {
  return db
    .selectFrom('namespaces')
    .selectAll()
    .where('parent_id', '=', of)
    .where('kind', '=', 'group')
    .where('marked_for_deletion_at', 'is', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}
