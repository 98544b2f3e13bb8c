import type { Reader, Writer } from '../../platform/database/database.ts';
import type { ImportFailureRow, ProjectImportRow } from './tables.ts';

export function findImport(db: Reader, projectId: number): Promise<ProjectImportRow | undefined> {
  return db.selectFrom('project_imports').selectAll().where('project_id', '=', projectId).executeTakeFirst();
}

type NewImport = Pick<
  ProjectImportRow,
  'project_id' | 'import_type' | 'import_source' | 'user_id' | 'encrypted_data' | 'correlation_id'
>;

export async function insertImport(trx: Writer, row: NewImport): Promise<void> {
  const now = Date.now();
  await trx
    .insertInto('project_imports')
    .values({ ...row, stats: null, created_at: now, progress_at: now })
    .execute();
}

/** Returns false if the import has ended. */
export async function updateImport(
  trx: Writer,
  projectId: number,
  columns: Partial<Omit<ProjectImportRow, 'project_id'>>,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('project_imports')
    .set(columns)
    .where('project_id', '=', projectId)
    .where('encrypted_data', 'is not', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Deletes an ended import with its failures. Returns false if there is none. */
export async function removeEnded(trx: Writer, projectId: number): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('project_imports')
    .where('project_id', '=', projectId)
    .where('encrypted_data', 'is', null)
    .executeTakeFirst();
  if (numDeletedRows === 0n) return false;
  await trx.deleteFrom('import_failures').where('project_id', '=', projectId).execute();
  return true;
}

/** A batch of running imports without progress since an instant. */
export function importsBefore(db: Reader, instant: number): Promise<{ project_id: number }[]> {
  return db
    .selectFrom('project_imports')
    .select('project_id')
    .where('encrypted_data', 'is not', null)
    .where('progress_at', '<', instant)
    .orderBy('progress_at')
    .limit(100)
    .execute();
}

/** Whether an import still has its options, which are erased when it ends. */
export async function isRunning(db: Reader, projectId: number): Promise<boolean> {
  const row = await db
    .selectFrom('project_imports')
    .select('project_id')
    .where('project_id', '=', projectId)
    .where('encrypted_data', 'is not', null)
    .executeTakeFirst();
  return row !== undefined;
}

/** Claims an object for import. Returns false if it was claimed before. */
export async function claimObject(
  trx: Writer,
  projectId: number,
  kind: string,
  sourceId: string,
  done: boolean,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('imported_objects')
    .values({ project_id: projectId, kind, source_id: sourceId, target_id: null, done: done ? 1 : 0 })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return Number(numInsertedOrUpdatedRows ?? 0) > 0;
}

export async function saveTarget(
  trx: Writer,
  projectId: number,
  kind: string,
  sourceId: string,
  targetId: number,
): Promise<void> {
  await trx
    .updateTable('imported_objects')
    .set({ target_id: targetId })
    .where('project_id', '=', projectId)
    .where('kind', '=', kind)
    .where('source_id', '=', sourceId)
    .execute();
}

export async function targetOf(
  db: Reader,
  projectId: number,
  kind: string,
  sourceId: string,
): Promise<{ target_id: number | null } | undefined> {
  return db
    .selectFrom('imported_objects')
    .select('target_id')
    .where('project_id', '=', projectId)
    .where('kind', '=', kind)
    .where('source_id', '=', sourceId)
    .executeTakeFirst();
}

/** A batch of imported objects of a kind in order of their source IDs. */
export function importedAfter(
  db: Reader,
  projectId: number,
  kind: string,
  after: string,
  limit: number,
): Promise<{ source_id: string; target_id: number | null }[]> {
  return db
    .selectFrom('imported_objects')
    .select(['source_id', 'target_id'])
    .where('project_id', '=', projectId)
    .where('kind', '=', kind)
    .where('source_id', '>', after)
    .where('target_id', 'is not', null)
    .orderBy('source_id')
    .limit(limit)
    .execute();
}

/** Number of processed and imported objects by kind. */
export async function countObjects(
  db: Reader,
  projectId: number,
): Promise<{ kind: string; fetched: number; imported: number }[]> {
  const rows = await db
    .selectFrom('imported_objects')
    .select((eb) => ['kind', eb.fn.countAll<number>().as('fetched'), eb.fn.sum<number>('done').as('imported')])
    .where('project_id', '=', projectId)
    .groupBy('kind')
    .orderBy('kind')
    .execute();
  return rows.map(({ kind, fetched, imported }) => ({ kind, fetched: Number(fetched), imported: Number(imported) }));
}

export async function forgetObjects(trx: Writer, projectId: number): Promise<void> {
  await trx.deleteFrom('imported_objects').where('project_id', '=', projectId).execute();
}

export async function insertFailure(trx: Writer, row: Omit<ImportFailureRow, 'id' | 'created_at'>): Promise<void> {
  await trx
    .insertInto('import_failures')
    .values({ ...row, created_at: Date.now() })
    .execute();
}

const shownFailures = 100;

export function failuresOf(db: Reader, projectId: number): Promise<ImportFailureRow[]> {
  return db
    .selectFrom('import_failures')
    .selectAll()
    .where('project_id', '=', projectId)
    .orderBy('id', 'desc')
    .limit(shownFailures)
    .execute();
}

/** Transfers imports to the user who inherits the contributions of a removed user. */
export async function handOverImports(trx: Writer, userId: number, heirId: number | null): Promise<void> {
  if (heirId === null) await trx.deleteFrom('project_imports').where('user_id', '=', userId).execute();
  else await trx.updateTable('project_imports').set({ user_id: heirId }).where('user_id', '=', userId).execute();
}
