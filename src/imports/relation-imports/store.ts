import type { Insertable, Updateable } from 'kysely';
import type { Reader, Writer } from '../../platform/database/database.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { fetchPage } from '../../platform/list-kit/fetch-page.ts';
import type { RelationImportRow, RelationImportsTable } from './tables.ts';

export function findImport(db: Reader, id: number): Promise<RelationImportRow | undefined> {
  return db.selectFrom('relation_imports').selectAll().where('id', '=', id).executeTakeFirst();
}

export function listImports(
  db: Reader,
  projectId: number,
  slice: Slice,
): Promise<{ rows: RelationImportRow[]; total: number }> {
  const query = db.selectFrom('relation_imports').selectAll().where('project_id', '=', projectId).orderBy('id');
  return fetchPage(db, query, slice);
}

/** The running import of a project. */
export function runningImport(db: Reader, projectId: number): Promise<RelationImportRow | undefined> {
  return db
    .selectFrom('relation_imports')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('storage_key', 'is not', null)
    .executeTakeFirst();
}

export function insertImport(trx: Writer, row: Insertable<RelationImportsTable>): Promise<RelationImportRow> {
  return trx.insertInto('relation_imports').values(row).returningAll().executeTakeFirstOrThrow();
}

/** Returns false if the import has ended or its project was deleted. */
export async function updateImport(
  trx: Writer,
  id: number,
  columns: Updateable<RelationImportsTable>,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('relation_imports')
    .set({ ...columns, updated_at: Date.now() })
    .where('id', '=', id)
    .where('storage_key', 'is not', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** A batch of running imports without progress since an instant. */
export function importsBefore(db: Reader, instant: number): Promise<RelationImportRow[]> {
  return db
    .selectFrom('relation_imports')
    .selectAll()
    .where('storage_key', 'is not', null)
    .where('updated_at', '<', instant)
    .orderBy('updated_at')
    .limit(100)
    .execute();
}

/** Whether a running import needs the archive. */
export async function isInUse(db: Reader, key: string): Promise<boolean> {
  const found = await db.selectFrom('relation_imports').select('id').where('storage_key', '=', key).executeTakeFirst();
  return found !== undefined;
}

/** Tables with project-level numbers. */
export type Numbered = 'issues' | 'merge_requests' | 'milestones' | 'pipelines';

export async function idOfNumber(
  db: Reader,
  table: Numbered,
  projectId: number,
  iid: number,
): Promise<number | undefined> {
  const found = await db
    .selectFrom(table)
    .select('id')
    .where('project_id', '=', projectId)
    .where('iid', '=', iid)
    .executeTakeFirst();
  return found?.id;
}

/** Transfers imports to the user who inherits the contributions of a removed user. */
export async function handOverImports(trx: Writer, userId: number, heirId: number | null): Promise<void> {
  if (heirId === null) await trx.deleteFrom('relation_imports').where('user_id', '=', userId).execute();
  else await trx.updateTable('relation_imports').set({ user_id: heirId }).where('user_id', '=', userId).execute();
}
