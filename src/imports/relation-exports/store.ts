import { belongsTo, type OwnerColumns } from '../../access/project-or-group.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import type { NewRelationFile, RelationExportRow, RelationExportsTable, RelationFileRow } from './tables.ts';

export function exportsOf(db: Reader, owner: OwnerColumns): Promise<RelationExportRow[]> {
  return db
    .selectFrom('relation_exports')
    .selectAll()
    .where(belongsTo('relation_exports', owner))
    .orderBy('id')
    .execute();
}

export function findExport(db: Reader, owner: OwnerColumns, relation: string): Promise<RelationExportRow | undefined> {
  return db
    .selectFrom('relation_exports')
    .selectAll()
    .where(belongsTo('relation_exports', owner))
    .where('relation', '=', relation)
    .executeTakeFirst();
}

export async function filesOf(db: Reader, exportIds: readonly number[]): Promise<RelationFileRow[]> {
  if (exportIds.length === 0) return [];
  return db
    .selectFrom('relation_export_files')
    .selectAll()
    .where('export_id', 'in', exportIds)
    .orderBy('export_id')
    .orderBy('batch_number')
    .execute();
}

export function findFile(db: Reader, exportId: number, batch: number): Promise<RelationFileRow | undefined> {
  return db
    .selectFrom('relation_export_files')
    .selectAll()
    .where('export_id', '=', exportId)
    .where('batch_number', '=', batch)
    .executeTakeFirst();
}

/** Requests a new export of a relation; previous files are kept until they are replaced. */
export async function requestRelation(
  trx: Writer,
  request: OwnerColumns & Pick<RelationExportsTable, 'relation' | 'batched' | 'asked_at'>,
): Promise<void> {
  const fresh = { ...request, status: 'started', error: null, updated_at: request.asked_at } as const;
  await trx
    .insertInto('relation_exports')
    .values(fresh)
    .onConflict((conflict) => {
      const column = request.project_id === null ? 'namespace_id' : 'project_id';
      return conflict.columns([column, 'relation']).where(column, 'is not', null).doUpdateSet(fresh);
    })
    .execute();
}

/** Ends an export. Returns false if it was deleted or requested again since. */
export async function endRelation(
  trx: Writer,
  { id, asked_at }: Pick<RelationExportRow, 'id' | 'asked_at'>,
  columns: Pick<RelationExportRow, 'status' | 'error'> & { readonly objects_count?: number },
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('relation_exports')
    .set({ ...columns, updated_at: Date.now() })
    .where('id', '=', id)
    .where('asked_at', '=', asked_at)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Replaces the files of an export. Returns the storage keys of the old files. */
export async function replaceFiles(
  trx: Writer,
  exportId: number,
  files: readonly Omit<NewRelationFile, 'export_id'>[],
): Promise<string[]> {
  const old = await trx
    .deleteFrom('relation_export_files')
    .where('export_id', '=', exportId)
    .returning('storage_key')
    .execute();
  for (let at = 0; at < files.length; at += 500) {
    const some = files.slice(at, at + 500).map((file) => ({ ...file, export_id: exportId }));
    await trx.insertInto('relation_export_files').values(some).execute();
  }
  return old.map(({ storage_key }) => storage_key);
}

/** A batch of expired exports. */
export function exportsBefore(db: Reader, before: number): Promise<RelationExportRow[]> {
  return db
    .selectFrom('relation_exports')
    .selectAll()
    .where('updated_at', '<', before)
    .orderBy('updated_at')
    .limit(100)
    .execute();
}

export async function deleteExport(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('relation_exports').where('id', '=', id).execute();
}
