import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { SignedInActor } from '../../../access/actor.ts';
import { type OwnerColumns, ownerColumnsOf, type ProjectOrGroup } from '../../../access/project-or-group.ts';
import type { Services } from '../../../access/services.ts';
import { type BasicUserEntity, basicUsers } from '../../../people/users/public.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { fault } from '../../../platform/faults.ts';
import type { UploadedFile } from '../../../platform/http/bodies/upload.ts';
import { NotFound, TooLarge } from '../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { instant } from '../../../platform/http/schema.ts';
import { FileMissing } from '../../../platform/storage/storage.ts';
import { claimStoredFile, putUnclaimed } from '../../../platform/storage/unclaimed.ts';
import { incrementCounter } from '../store.ts';
import { markdownFor, uploadName } from './names.ts';
import type { ListedUploadEntity, UploadEntity } from './schema.ts';
import type { UploadName } from './store.ts';
import * as store from './store.ts';
import type { UploadRow } from './tables.ts';

/** Adds to the uploads size of a project; groups have no such counter. */
async function countSize(trx: Writer, { project_id }: OwnerColumns, bytes: number): Promise<void> {
  if (project_id !== null) await incrementCounter(trx, project_id, 'uploads_size', bytes);
}

/** Stores a file for use in the texts of a project or group. */
export async function uploadFile(
  services: Services,
  { user }: SignedInActor,
  place: ProjectOrGroup,
  file: UploadedFile,
): Promise<UploadEntity> {
  const { db, storage, settings } = services;
  const { max_attachment_size: mebibytes } = await settings.read();
  if (file.size > mebibytes * 1024 * 1024) throw new TooLarge();
  const secret = randomBytes(16).toString('hex');
  const filename = uploadName(file.filename);
  const key = `uploads/${secret.slice(0, 2)}/${secret}`;
  await putUnclaimed(services, key, file.open(), { expectedSize: file.size });
  fault('uploads.stored');
  const owner = ownerColumnsOf(place);
  const row = {
    ...owner,
    secret,
    filename,
    storage_key: key,
    content_type: file.contentType,
    size: file.size,
    uploaded_by_id: user.id,
    created_at: Date.now(),
  };
  const upload = await db
    .write(async (trx) => {
      await countSize(trx, owner, file.size);
      await claimStoredFile(services, trx, key);
      return store.insertUpload(trx, row);
    })
    .catch(async (error: unknown) => {
      await storage.delete(key);
      throw error;
    });
  const url = `/uploads/${secret}/${filename}`;
  return { id: upload.id, url, full_path: `${homeOf(owner)}${url}`, ...markdownFor(filename, url) };
}

/** Web path under which uploads are served. */
const homeOf = ({ project_id, namespace_id }: OwnerColumns) =>
  project_id === null ? `/-/group/${namespace_id}` : `/-/project/${project_id}`;

/** Stores a file referenced by imported texts under the secret they use. Returns false if it exists already. */
export async function keepImportedFile(
  { db, storage }: Services,
  owner: OwnerColumns,
  upload: { readonly secret: string; readonly filename: string; readonly userId: number; readonly size?: number },
  body: AsyncIterable<Uint8Array>,
): Promise<boolean> {
  const { secret, userId } = upload;
  const filename = uploadName(upload.filename);
  if (await store.findUpload(db.read, owner, { secret, filename })) return false;
  const storage_key = `uploads/${secret.slice(0, 2)}/${secret}`;
  const expected = upload.size === undefined ? {} : { expectedSize: upload.size, maxSize: upload.size };
  const { size } = await storage.put(storage_key, body, expected);
  await db.write(async (trx) => {
    await countSize(trx, owner, size);
    await store.insertUpload(trx, {
      ...owner,
      secret,
      filename,
      storage_key,
      content_type: 'application/octet-stream',
      size,
      uploaded_by_id: userId,
      created_at: Date.now(),
    });
  });
  return true;
}

/**
 * Copies an upload of another project or group for a text moved here. Files are immutable, so both rows refer to the
 * same file, which is deleted with the last row. Returns undefined if there is no such upload.
 */
export async function copyUpload(
  trx: Writer,
  from: ProjectOrGroup,
  name: UploadName,
  { place, userId }: { readonly place: ProjectOrGroup; readonly userId: number },
): Promise<{ secret: string; filename: string } | undefined> {
  const found = await store.findUpload(trx, ownerColumnsOf(from), name);
  // A concurrent deletion waits for the copy and then keeps the file.
  const upload = found && (await lockRow(trx, 'uploads', found.id));
  if (!upload) return undefined;
  const secret = randomBytes(16).toString('hex');
  const { id: _, ...row } = upload;
  const owner = ownerColumnsOf(place);
  const copy = { ...row, ...owner, secret, uploaded_by_id: userId };
  await store.insertUpload(trx, { ...copy, created_at: Date.now() });
  await countSize(trx, owner, upload.size);
  return { secret, filename: upload.filename };
}

/** Lists the uploads of a project or group with their uploaders, newest first. */
export async function listUploads(
  { db, externalUrl }: Services,
  place: ProjectOrGroup,
  slice: PageRequest,
): Promise<Page<ListedUploadEntity>> {
  const { rows, total } = await store.listUploads(db.read, ownerColumnsOf(place), slice);
  const users = await basicUsers(
    db.read,
    rows.map((row) => row.uploaded_by_id),
    externalUrl,
  );
  return new Page(rows, total).map((row) => ({
    id: row.id,
    size: row.size,
    filename: row.filename,
    created_at: instant(row.created_at),
    uploaded_by: uploader(row.uploaded_by_id == null ? undefined : users.get(row.uploaded_by_id)),
  }));
}

function uploader(user: BasicUserEntity | undefined): ListedUploadEntity['uploaded_by'] {
  return user ? { id: user.id, username: user.username, public_email: user.public_email, name: user.name } : null;
}

async function requireUpload(db: Reader, owner: OwnerColumns, name: UploadName): Promise<UploadRow> {
  const found = await store.findUpload(db, owner, name);
  if (!found) throw new NotFound();
  return found;
}

/** Opens an upload for download. */
export async function openUpload(
  { db, storage }: Services,
  owner: OwnerColumns,
  name: UploadName,
): Promise<{ upload: UploadRow; stream: Readable }> {
  const upload = await requireUpload(db.read, owner, name);
  const { stream } = await storage.get(upload.storage_key).catch((error: unknown) => {
    // Deleted since the row was read.
    throw error instanceof FileMissing ? new NotFound() : error;
  });
  return { upload, stream };
}

/** Deletes an upload: the row, then the file unless another upload refers to it. */
export async function deleteUpload(services: Services, place: ProjectOrGroup, name: UploadName): Promise<void> {
  const { db } = services;
  const upload = await requireUpload(db.read, ownerColumnsOf(place), name);
  await db.write(async (trx) => {
    if ((await store.deleteUploads(trx, [upload.id])) > 0) await countSize(trx, upload, -upload.size);
  });
  await discardFiles(services, [upload]);
}

/** Deletes files that no other upload refers to. */
async function discardFiles(
  { db, storage }: Services,
  uploads: readonly Pick<UploadRow, 'id' | 'storage_key'>[],
): Promise<void> {
  const shared = await store.sharedStorageKeys(db.read, uploads);
  for (const { storage_key } of uploads) if (!shared.has(storage_key)) await storage.delete(storage_key);
}

const removedAtOnce = 100;

/** Deletes the files and then the rows of uploads whose project or group is deleted. */
export async function discardUploads(services: Services): Promise<void> {
  const { db } = services;
  for (;;) {
    const orphans = await store.orphanedUploads(db.read, removedAtOnce);
    if (orphans.length === 0) return;
    await discardFiles(services, orphans);
    const ids = orphans.map(({ id }) => id);
    await db.write((trx) => store.deleteUploads(trx, ids));
  }
}
