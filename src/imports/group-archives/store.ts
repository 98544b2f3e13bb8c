import type { Insertable, Updateable } from 'kysely';
import type { Reader, Writer } from '../../platform/database/database.ts';
import type { GroupImportFailureRow, GroupImportRow, GroupImportsTable } from './tables.ts';

export function findImport(db: Reader, groupId: number): Promise<GroupImportRow | undefined> {
  return db.selectFrom('group_imports').selectAll().where('namespace_id', '=', groupId).executeTakeFirst();
}

export async function insertImport(trx: Writer, row: Insertable<GroupImportsTable>): Promise<void> {
  await trx.insertInto('group_imports').values(row).execute();
}

/** Returns false if the import has ended or its group was deleted. */
export async function updateImport(
  trx: Writer,
  groupId: number,
  columns: Updateable<GroupImportsTable>,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('group_imports')
    .set({ ...columns, progress_at: Date.now() })
    .where('namespace_id', '=', groupId)
    .where('storage_key', 'is not', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** A batch of running imports without progress since an instant. */
export function importsBefore(db: Reader, instant: number): Promise<GroupImportRow[]> {
  return db
    .selectFrom('group_imports')
    .selectAll()
    .where('storage_key', 'is not', null)
    .where('progress_at', '<', instant)
    .orderBy('progress_at')
    .limit(100)
    .execute();
}

/** Whether a running import needs the archive. */
export async function isInUse(db: Reader, key: string): Promise<boolean> {
  const row = await db
    .selectFrom('group_imports')
    .select('namespace_id')
    .where('storage_key', '=', key)
    .executeTakeFirst();
  return row !== undefined;
}

export async function noteGroup(trx: Writer, importId: number, sourceId: number, groupId: number): Promise<void> {
  await trx
    .insertInto('imported_groups')
    .values({ import_id: importId, source_id: sourceId, namespace_id: groupId })
    .execute();
}

/** The group created for a group of the archive. */
export async function groupOf(db: Reader, importId: number, sourceId: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('imported_groups')
    .select('namespace_id')
    .where('import_id', '=', importId)
    .where('source_id', '=', sourceId)
    .executeTakeFirst();
  return row?.namespace_id;
}

/** Whether a group was created by an import. */
export async function isImported(db: Reader, groupId: number): Promise<boolean> {
  const row = await db
    .selectFrom('imported_groups')
    .select('namespace_id')
    .where('namespace_id', '=', groupId)
    .executeTakeFirst();
  return row !== undefined;
}

export async function forgetGroups(trx: Writer, importId: number): Promise<void> {
  await trx.deleteFrom('imported_groups').where('import_id', '=', importId).execute();
}

export async function insertFailure(trx: Writer, row: Omit<GroupImportFailureRow, 'id' | 'created_at'>): Promise<void> {
  await trx
    .insertInto('group_import_failures')
    .values({ ...row, created_at: Date.now() })
    .execute();
}

const shownFailures = 100;

export function failuresOf(db: Reader, importId: number): Promise<GroupImportFailureRow[]> {
  return db
    .selectFrom('group_import_failures')
    .selectAll()
    .where('import_id', '=', importId)
    .orderBy('id', 'desc')
    .limit(shownFailures)
    .execute();
}

/** Transfers imports to the user who inherits the contributions of a removed user. */
export async function handOverImports(trx: Writer, userId: number, heirId: number | null): Promise<void> {
  if (heirId === null) await trx.deleteFrom('group_imports').where('user_id', '=', userId).execute();
  else await trx.updateTable('group_imports').set({ user_id: heirId }).where('user_id', '=', userId).execute();
}
