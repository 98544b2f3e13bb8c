import type { Insertable, Updateable } from 'kysely';
import type { Reader, Writer } from '../../platform/database/database.ts';
import type { ProjectExportRow, ProjectExportsTable } from './tables.ts';

export function findExport(db: Reader, projectId: number): Promise<ProjectExportRow | undefined> {
  return db.selectFrom('project_exports').selectAll().where('project_id', '=', projectId).executeTakeFirst();
}

/** Requests a new export; the previous file is kept until it is replaced. */
export async function requestExport(trx: Writer, row: Insertable<ProjectExportsTable>): Promise<void> {
  const { status, options, asked_at } = row;
  await trx
    .insertInto('project_exports')
    .values(row)
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet({ status, options, asked_at, error: null }))
    .execute();
}

export async function updateExport(
  trx: Writer,
  projectId: number,
  columns: Updateable<ProjectExportsTable>,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('project_exports')
    .set(columns)
    .where('project_id', '=', projectId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** A batch of expired exports. */
export function exportsBefore(
  db: Reader,
  before: number,
): Promise<{ project_id: number; storage_key: string | null }[]> {
  return db
    .selectFrom('project_exports')
    .select(['project_id', 'storage_key'])
    .where('storage_key', 'is not', null)
    .where('finished_at', '<', before)
    .orderBy('finished_at')
    .limit(100)
    .execute();
}
