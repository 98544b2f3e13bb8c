import type { Insertable, Updateable } from 'kysely';
import type { Reader, Writer } from '../../platform/database/database.ts';
import type {
  BulkImportEntitiesTable,
  BulkImportFailuresTable,
  BulkImportRow,
  BulkImportsTable,
  EntityRow,
  FailureRow,
  TransferStatus,
} from './tables.ts';

const running: readonly TransferStatus[] = ['created', 'started'];

export function findBulkImport(db: Reader, id: number): Promise<BulkImportRow | undefined> {
  return db.selectFrom('bulk_imports').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Reloads the bulk import and locks it until the transaction ends. */
export function lockBulkImport(trx: Writer, id: number): Promise<BulkImportRow | undefined> {
  return trx
    .updateTable('bulk_imports')
    .set((eb) => ({ updated_at: eb.ref('updated_at') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export function insertBulkImport(trx: Writer, row: Insertable<BulkImportsTable>): Promise<BulkImportRow> {
  return trx.insertInto('bulk_imports').values(row).returningAll().executeTakeFirstOrThrow();
}

/** Returns false if it had already ended. */
export async function updateBulkImport(
  trx: Writer,
  id: number,
  columns: Updateable<BulkImportsTable>,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('bulk_imports')
    .set({ ...columns, updated_at: Date.now() })
    .where('id', '=', id)
    .where('status', 'in', running)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export function findEntity(db: Reader, id: number): Promise<EntityRow | undefined> {
  return db.selectFrom('bulk_import_entities').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The running entity whose import created a project. */
export function runningEntityOf(db: Reader, projectId: number): Promise<EntityRow | undefined> {
  return db
    .selectFrom('bulk_import_entities')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('status', 'in', running)
    .executeTakeFirst();
}

/** Whether a group was created by a migration. */
export async function isMigrated(db: Reader, namespaceId: number): Promise<boolean> {
  const found = await db
    .selectFrom('bulk_import_entities')
    .select('id')
    .where('namespace_id', '=', namespaceId)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** Returns undefined if the parent entity already has it. */
export function insertEntity(
  trx: Writer,
  row: Insertable<BulkImportEntitiesTable>,
): Promise<{ id: number } | undefined> {
  return trx
    .insertInto('bulk_import_entities')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
}

/** Returns false if it had already ended. */
export async function updateEntity(
  trx: Writer,
  id: number,
  columns: Updateable<BulkImportEntitiesTable>,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('bulk_import_entities')
    .set({ ...columns, updated_at: Date.now() })
    .where('id', '=', id)
    .where('status', 'in', running)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Ends the running entities of a bulk import. */
export async function endEntities(trx: Writer, bulkImportId: number, status: TransferStatus): Promise<void> {
  await trx
    .updateTable('bulk_import_entities')
    .set({ status, cursors: '{}', updated_at: Date.now() })
    .where('bulk_import_id', '=', bulkImportId)
    .where('status', 'in', running)
    .execute();
}

/** Number of entities of a bulk import by status. */
export async function countEntities(db: Reader, bulkImportId: number): Promise<ReadonlyMap<TransferStatus, number>> {
  const rows = await db
    .selectFrom('bulk_import_entities')
    .select((eb) => ['status', eb.fn.countAll<number>().as('count')])
    .where('bulk_import_id', '=', bulkImportId)
    .groupBy('status')
    .execute();
  return new Map(rows.map(({ status, count }) => [status, Number(count)]));
}

/** Projects of a bulk import in batches by entity ID. */
export function projectsAfter(
  db: Reader,
  bulkImportId: number,
  after: number,
): Promise<{ id: number; project_id: number | null }[]> {
  return db
    .selectFrom('bulk_import_entities')
    .select(['id', 'project_id'])
    .where('bulk_import_id', '=', bulkImportId)
    .where('project_id', 'is not', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(100)
    .execute();
}

/** Entities without a project that have made no progress since an instant. */
export function entitiesBefore(db: Reader, before: number): Promise<EntityRow[]> {
  return db
    .selectFrom('bulk_import_entities')
    .selectAll()
    .where('status', 'in', running)
    .where('project_id', 'is', null)
    .where('updated_at', '<', before)
    .orderBy('updated_at')
    .limit(100)
    .execute();
}

/** Further failures are only counted. */
const maxFailures = 100;

export async function insertFailures(
  trx: Writer,
  entity: Pick<EntityRow, 'id' | 'bulk_import_id'>,
  rows: readonly Omit<Insertable<BulkImportFailuresTable>, 'entity_id' | 'created_at'>[],
): Promise<void> {
  if (rows.length === 0) return;
  const has_failures = 1;
  await trx.updateTable('bulk_import_entities').set({ has_failures }).where('id', '=', entity.id).execute();
  await trx.updateTable('bulk_imports').set({ has_failures }).where('id', '=', entity.bulk_import_id).execute();
  const { count } = await trx
    .selectFrom('bulk_import_failures')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('entity_id', '=', entity.id)
    .executeTakeFirstOrThrow();
  const saved = rows.slice(0, Math.max(maxFailures - Number(count), 0));
  const created_at = Date.now();
  for (const row of saved) {
    await trx
      .insertInto('bulk_import_failures')
      .values({ ...row, entity_id: entity.id, created_at })
      .execute();
  }
}

export async function failuresOf(db: Reader, entityIds: readonly number[]): Promise<FailureRow[]> {
  if (entityIds.length === 0) return [];
  return db
    .selectFrom('bulk_import_failures')
    .selectAll()
    .where('entity_id', 'in', entityIds)
    .orderBy('entity_id')
    .orderBy('id')
    .execute();
}
