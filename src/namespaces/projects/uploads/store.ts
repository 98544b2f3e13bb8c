import type { Insertable } from 'kysely';
import { belongsTo, type OwnerColumns } from '../../../access/project-or-group.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { fetchPage } from '../../../platform/list-kit/fetch-page.ts';
import type { UploadRow, UploadsTable } from './tables.ts';

/** Identifies an upload by id, or by secret and file name. */
export type UploadName = { readonly upload_id: number } | { readonly secret: string; readonly filename: string };

export function findUpload(db: Reader, owner: OwnerColumns, name: UploadName): Promise<UploadRow | undefined> {
  const query = db.selectFrom('uploads').selectAll().where(belongsTo('uploads', owner));
  return 'upload_id' in name
    ? query.where('id', '=', name.upload_id).executeTakeFirst()
    : query.where('secret', '=', name.secret).where('filename', '=', name.filename).executeTakeFirst();
}

/** Lists the uploads of a project or group, newest first. */
export function listUploads(
  db: Reader,
  owner: OwnerColumns,
  slice: Slice,
): Promise<{ rows: UploadRow[]; total: number }> {
  const query = db.selectFrom('uploads').selectAll().where(belongsTo('uploads', owner)).orderBy('id', 'desc');
  return fetchPage(db, query, slice);
}

export async function insertUpload(trx: Writer, row: Insertable<UploadsTable>): Promise<{ id: number }> {
  return trx.insertInto('uploads').values(row).returning('id').executeTakeFirstOrThrow();
}

/** Deletes the rows of uploads and returns their number. */
export async function deleteUploads(trx: Writer, ids: readonly number[]): Promise<number> {
  const result = await trx.deleteFrom('uploads').where('id', 'in', ids).executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** Returns a batch of uploads whose project or group is deleted. */
export function orphanedUploads(db: Reader, limit: number): Promise<Pick<UploadRow, 'id' | 'storage_key'>[]> {
  return db
    .selectFrom('uploads')
    .select(['id', 'storage_key'])
    .where('project_id', 'is', null)
    .where('namespace_id', 'is', null)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Returns which of these uploads' files are used by other uploads too. */
export async function sharedStorageKeys(
  db: Reader,
  uploads: readonly Pick<UploadRow, 'id' | 'storage_key'>[],
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('uploads')
    .select('storage_key')
    .where(
      'storage_key',
      'in',
      uploads.map(({ storage_key }) => storage_key),
    )
    .where(
      'id',
      'not in',
      uploads.map(({ id }) => id),
    )
    .execute();
  return new Set(rows.map(({ storage_key }) => storage_key));
}
