import type { Insertable, Updateable } from 'kysely';
import type { Namespace } from '../../access/tables.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import type { Part } from '../project-exports/public.ts';
import type { GroupExportRow, GroupExportsTable } from './tables.ts';

export function findExport(db: Reader, groupId: number): Promise<GroupExportRow | undefined> {
  return db.selectFrom('group_exports').selectAll().where('namespace_id', '=', groupId).executeTakeFirst();
}

/** Notes that a new file is wanted; the last one stays until it is there. */
export async function askForExport(trx: Writer, row: Insertable<GroupExportsTable>): Promise<void> {
  const { status, asked_at } = row;
  await trx
    .insertInto('group_exports')
    .values(row)
    .onConflict((conflict) => conflict.column('namespace_id').doUpdateSet({ status, asked_at, error: null }))
    .execute();
}

/** False where the group is gone. */
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

/** Some of the files that nobody fetches any more. */
export function exportsBefore(
  db: Reader,
  instant: number,
): Promise<{ namespace_id: number; storage_key: string | null }[]> {
  return db
    .selectFrom('group_exports')
    .select(['namespace_id', 'storage_key'])
    .where('storage_key', 'is not', null)
    .where('finished_at', '<', instant)
    .orderBy('finished_at')
    .limit(100)
    .execute();
}

/** Some of the groups right below one; not those that are about to be deleted. */
export function subgroupsAfter(db: Reader, { of, after, limit }: Part): Promise<Namespace[]> {
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
