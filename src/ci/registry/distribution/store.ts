import { sql } from 'kysely';
import { incrementCounter } from '../../../namespaces/projects/public.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import type { BlobRow, ChunkRow, UploadRow } from '../tables.ts';

/** Finds a blob linked to a project. */
export function blobOfProject(db: Reader, projectId: number, digest: string) {
  return db
    .selectFrom('registry_blobs as b')
    .innerJoin('registry_project_blobs as p', 'p.blob_id', 'b.id')
    .select(['b.id', 'b.digest', 'b.size', 'b.storage_key', 'p.touched_at'])
    .where('b.digest', '=', digest)
    .where('p.project_id', '=', projectId)
    .executeTakeFirst();
}

export type FoundBlob = NonNullable<Awaited<ReturnType<typeof blobOfProject>>>;

/** Protects a blob from garbage collection until the manifest arrives. Returns false if it no longer exists. */
export async function touchBlob(trx: Writer, projectId: number, blobId: number, now: number): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('registry_project_blobs')
    .set({ touched_at: now })
    .where('project_id', '=', projectId)
    .where('blob_id', '=', blobId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Returns the blob with a digest, inserting it if necessary. The upsert updates instead of doing nothing, so that it
 * waits for a concurrent deletion and inserts the row again.
 */
export function ensureBlob(trx: Writer, row: Omit<BlobRow, 'id'>): Promise<BlobRow> {
  return trx
    .insertInto('registry_blobs')
    .values(row)
    .onConflict((conflict) => conflict.column('digest').doUpdateSet({ digest: row.digest }))
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Links a blob to a project. Counts it towards the project's size the first time only. */
export async function linkBlob(trx: Writer, projectId: number, blob: Pick<BlobRow, 'id' | 'size'>): Promise<void> {
  const touched_at = Date.now();
  const { numInsertedOrUpdatedRows: inserted } = await trx
    .insertInto('registry_project_blobs')
    .values({ project_id: projectId, blob_id: blob.id, touched_at })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (Number(inserted ?? 0) === 0) await touchBlob(trx, projectId, blob.id, touched_at);
  else await incrementCounter(trx, projectId, 'container_registry_size', Number(blob.size));
}

export async function insertUpload(trx: Writer, row: UploadRow): Promise<void> {
  await trx.insertInto('registry_uploads').values(row).execute();
}

export function findUpload(
  db: Reader,
  { id, projectId, name }: { readonly id: string; readonly projectId: number; readonly name: string },
): Promise<UploadRow | undefined> {
  return db
    .selectFrom('registry_uploads')
    .selectAll()
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .where('name', '=', name)
    .executeTakeFirst();
}

export function chunksOf(db: Reader, uploadId: string): Promise<ChunkRow[]> {
  return db
    .selectFrom('registry_upload_chunks')
    .selectAll()
    .where('upload_id', '=', uploadId)
    .orderBy('number')
    .execute();
}

/** Appends a chunk to an upload if its state is unchanged. Returns false if it has progressed or ended. */
export async function addChunk(
  trx: Writer,
  upload: UploadRow,
  chunk: Pick<ChunkRow, 'size' | 'sha256' | 'storage_key'>,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('registry_uploads')
    .set({ received: upload.received + chunk.size, chunks: upload.chunks + 1, updated_at: Date.now() })
    .where('id', '=', upload.id)
    .where('received', '=', upload.received)
    .where('chunks', '=', upload.chunks)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  const row = { upload_id: upload.id, number: upload.chunks, ...chunk };
  await trx.insertInto('registry_upload_chunks').values(row).execute();
  await cancelFileRemoval(trx, chunk.storage_key);
  return true;
}

/** Ends an upload if its state is unchanged. The files of its chunks are removed afterwards, except `keptKey`. */
export async function endUpload(trx: Writer, upload: UploadRow, keptKey?: string): Promise<boolean> {
  const keys = (await chunksOf(trx, upload.id)).map(({ storage_key }) => storage_key);
  const { numDeletedRows } = await trx
    .deleteFrom('registry_uploads')
    .where('id', '=', upload.id)
    .where('received', '=', upload.received)
    .executeTakeFirst();
  if (numDeletedRows === 0n) return false;
  await scheduleFileRemoval(
    trx,
    keys.filter((key) => key !== keptKey),
  );
  return true;
}

/** Schedules files for removal. Called with a distant time before a file is written, in case the server crashes. */
export async function scheduleFileRemoval(trx: Writer, keys: readonly string[], due_at = Date.now()): Promise<void> {
  if (keys.length === 0) return;
  await trx
    .insertInto('deleted_registry_files')
    .values(keys.map((storage_key) => ({ storage_key, due_at })))
    .onConflict((conflict) => conflict.column('storage_key').doUpdateSet({ due_at }))
    .execute();
}

/** Cancels the removal of a file once a row refers to it. */
export async function cancelFileRemoval(trx: Writer, key: string): Promise<void> {
  await trx.deleteFrom('deleted_registry_files').where('storage_key', '=', key).execute();
}

export async function dueFiles(db: Reader, now: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('deleted_registry_files')
    .select('storage_key')
    .where('due_at', '<=', now)
    .limit(limit)
    .execute();
  return rows.map(({ storage_key }) => storage_key);
}

export async function forgetFiles(trx: Writer, keys: readonly string[]): Promise<void> {
  await trx
    .deleteFrom('deleted_registry_files')
    .where('storage_key', 'in', [...keys])
    .execute();
}

/** Schedules the removal of the chunk files of a project's uploads; the rows are deleted with the project. */
export async function dropUploadsOfProject(trx: Writer, projectId: number): Promise<void> {
  await trx
    .insertInto('deleted_registry_files')
    .columns(['storage_key', 'due_at'])
    .expression(
      trx
        .selectFrom('registry_upload_chunks as c')
        .innerJoin('registry_uploads as u', 'u.id', 'c.upload_id')
        .select(['c.storage_key', sql<number>`0`.as('due_at')])
        .where('u.project_id', '=', projectId),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
