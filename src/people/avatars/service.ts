import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import { fault } from '../../platform/faults.ts';
import type { UploadedFile } from '../../platform/http/bodies/upload.ts';
import { Invalid, NotFound } from '../../platform/http/errors.ts';
import { FileMissing, type OpenFile } from '../../platform/storage/storage.ts';
import { claim, putUnclaimed, removeSoon } from '../../platform/storage/unclaimed.ts';
import { avatarFilename, avatarRule, avatarType, pictureProblems } from './rules.ts';

/** Whose avatar it is, as the addresses of avatars have it. */
export type AvatarKind = 'user' | 'group' | 'project';

/** An `avatar` column reads `<random>/<name>`: the file lies under the first part, its address ends with the second. */
function parts(stored: string): { key: string; filename: string } {
  const slash = stored.indexOf('/');
  const random = stored.slice(0, slash);
  return { key: `avatars/${random.slice(0, 2)}/${random}`, filename: stored.slice(slash + 1) };
}

/** Keeps the file of a picture that was looked at, for a day unless its row claims it, and returns what that is to hold. */
export async function storePicture(services: Services, file: UploadedFile): Promise<string> {
  const stored = `${randomBytes(16).toString('hex')}/${avatarFilename(file.filename)}`;
  await putUnclaimed(services, parts(stored).key, file.open(), { expectedSize: file.size });
  fault('pictures.stored');
  return stored;
}

/** To be called in the transaction that writes what was stored into its row. */
export function claimPicture(services: Services, trx: Writer, stored: string): Promise<void> {
  return claim(services, trx, parts(stored).key);
}

/** Has the file removed of an `avatar` column that no row has once the transaction is over. */
export async function discardPicture(services: Services, trx: Writer, stored: string | null): Promise<void> {
  if (stored !== null) await removeSoon(services, trx, parts(stored).key);
}

/** Removes the file of an `avatar` column that no row has any longer. */
export async function discardAvatar({ storage, log }: Services, stored: string | null): Promise<void> {
  if (stored === null) return;
  // The row has changed already: a file that stays behind is for the log, not for the one who asked.
  await storage
    .delete(parts(stored).key)
    .catch((error: unknown) => log.error({ err: error, stored }, 'avatar file stays'));
}

/**
 * Changes an avatar as the parameter says: a file replaces the present one, a blank or null removes it, nothing leaves
 * it. `write` gets the column to set, and the transaction; the file that is in nobody's row after it goes away.
 */
export async function changeAvatar<T>(
  services: Services,
  wanted: UploadedFile | '' | null | undefined,
  present: string | null,
  write: (trx: Writer, column: { avatar?: string | null }) => Promise<T>,
): Promise<T> {
  const { db } = services;
  if (wanted === undefined) return db.write((trx) => write(trx, {}));
  const problems = wanted ? pictureProblems(wanted, avatarRule) : [];
  if (problems.length > 0) throw new Invalid({ avatar: problems });
  const stored = wanted ? await storePicture(services, wanted) : null;
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

/** The address of an avatar; null when there is none. */
export function avatarUrl(externalUrl: string, kind: AvatarKind, id: number, stored: string | null): string | null {
  if (stored === null) return null;
  return `${externalUrl}/uploads/-/system/${kind}/avatar/${id}/${parts(stored).filename}`;
}

/** Does the column hold an avatar of this name? */
export function isAvatarNamed(stored: string | null, filename: string): stored is string {
  return stored !== null && parts(stored).filename === filename;
}

/** The file of an `avatar` column; undefined when there is none. */
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

/** Answers with the avatar's file as a download; 404 when there is none. */
export async function sendAvatar(
  storage: Services['storage'],
  reply: FastifyReply,
  stored: string | null,
): Promise<Readable> {
  const found = await openAvatar(storage, stored);
  if (!found) throw new NotFound('Avatar');
  const { stream, size, filename } = found;
  // `attachment`, and a type by the name: what people upload is never a page of ours.
  reply.headers({
    'content-type': avatarType(filename),
    'content-length': size,
    'content-disposition': `attachment; filename="${filename}"; filename*=UTF-8''${filename}`,
    'cache-control': 'max-age=0, private, must-revalidate',
    'x-content-type-options': 'nosniff',
  });
  return stream;
}
