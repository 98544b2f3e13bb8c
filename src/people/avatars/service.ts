import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import { fault } from '../../platform/faults.ts';
import type { UploadedFile } from '../../platform/http/bodies/upload.ts';
import { Invalid, NotFound } from '../../platform/http/errors.ts';
import { FileMissing, type OpenFile } from '../../platform/storage/storage.ts';
import { claimStoredFile, putUnclaimed, removeAfterCommit } from '../../platform/storage/unclaimed.ts';
import { avatarFilename, avatarRule, avatarType, pictureProblems } from './rules.ts';

/** The resource kind in avatar URLs. */
export type AvatarKind = 'user' | 'group' | 'project';

/**
 * An `avatar` column contains `<random>/<name>`: the first part is the storage key, the second the last part of the
 * URL.
 */
function parts(stored: string): { key: string; filename: string } {
  const slash = stored.indexOf('/');
  const random = stored.slice(0, slash);
  return { key: `avatars/${random.slice(0, 2)}/${random}`, filename: stored.slice(slash + 1) };
}

/**
 * Stores a validated image and returns the value for the `avatar` column. The file is deleted after a day unless a row
 * claims it.
 */
export async function storePicture(services: Services, file: UploadedFile): Promise<string> {
  const stored = `${randomBytes(16).toString('hex')}/${avatarFilename(file.filename)}`;
  await putUnclaimed(services, parts(stored).key, file.open(), { expectedSize: file.size });
  fault('pictures.stored');
  return stored;
}

/** Claims a stored file; called in the transaction that writes its column. */
export function claimPicture(services: Services, trx: Writer, stored: string): Promise<void> {
  return claimStoredFile(services, trx, parts(stored).key);
}

/** Enqueues the deletion of a file that no row refers to after the transaction. */
export async function discardPicture(services: Services, trx: Writer, stored: string | null): Promise<void> {
  if (stored !== null) await removeAfterCommit(services, trx, parts(stored).key);
}

/** Deletes a file that no row refers to. */
export async function discardAvatar({ storage, log }: Services, stored: string | null): Promise<void> {
  if (stored === null) return;
  // The row is changed already, so a failed deletion is logged instead of failing the request.
  await storage
    .delete(parts(stored).key)
    .catch((error: unknown) => log.error({ err: error, stored }, 'an avatar file could not be deleted'));
}

/**
 * Changes an avatar according to the parameter: a file replaces it, an empty string or null removes it, undefined keeps
 * it. `write` receives the transaction and the column to set; the file that is no longer referenced is deleted
 * afterwards.
 */
export async function changeAvatar<T>(
  services: Services,
  file: UploadedFile | '' | null | undefined,
  present: string | null,
  write: (trx: Writer, column: { avatar?: string | null }) => Promise<T>,
): Promise<T> {
  const { db } = services;
  if (file === undefined) return db.write((trx) => write(trx, {}));
  const problems = file ? pictureProblems(file, avatarRule) : [];
  if (problems.length > 0) throw new Invalid({ avatar: problems });
  const stored = file ? await storePicture(services, file) : null;
  try {
    const written = await db.write(async (trx) => {
      if (stored !== null) await claimPicture(services, trx, stored);
      const result = await write(trx, { avatar: stored });
      await discardPicture(services, trx, present);
      return result;
    });
    fault('pictures.replaced');
    return written;
  } catch (error) {
    await discardAvatar(services, stored);
    throw error;
  }
}

/** Returns the URL of an avatar; null if there is none. */
export function avatarUrl(externalUrl: string, kind: AvatarKind, id: number, stored: string | null): string | null {
  if (stored === null) return null;
  return `${externalUrl}/uploads/-/system/${kind}/avatar/${id}/${parts(stored).filename}`;
}

/** Whether the column contains an avatar with this file name. */
export function isAvatarNamed(stored: string | null, filename: string): stored is string {
  return stored !== null && parts(stored).filename === filename;
}

/** Opens the file of an `avatar` column; undefined if there is none. */
export async function openAvatar(
  storage: Services['storage'],
  stored: string | null,
): Promise<(OpenFile & { readonly filename: string }) | undefined> {
  if (stored === null) return undefined;
  const { key, filename } = parts(stored);
  const file = await storage.get(key).catch((error: unknown) => {
    // Replaced since the row was read.
    if (error instanceof FileMissing) return undefined;
    throw error;
  });
  return file && { ...file, filename };
}

/** Sends the avatar file as a download; 404 if there is none. */
export async function sendAvatar(
  storage: Services['storage'],
  reply: FastifyReply,
  stored: string | null,
): Promise<Readable> {
  const found = await openAvatar(storage, stored);
  if (!found) throw new NotFound('Avatar');
  const { stream, size, filename } = found;
  // Sent as an attachment with a type derived from the name, so that an upload never acts as a page of this origin.
  reply.headers({
    'content-type': avatarType(filename),
    'content-length': size,
    'content-disposition': `attachment; filename="${filename}"; filename*=UTF-8''${filename}`,
    'cache-control': 'max-age=0, private, must-revalidate',
    'x-content-type-options': 'nosniff',
  });
  return stream;
}
