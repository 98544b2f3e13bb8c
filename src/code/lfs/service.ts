import type { Services } from '../../access/services.ts';
import type { Reader } from '../../platform/database/database.ts';
import { fault } from '../../platform/faults.ts';
import { type ByteRange, FileMissing, type OpenFile } from '../../platform/storage/storage.ts';
import { insertPendingObject, linkedObjects, linkObject } from './store.ts';

/** The storage key of an object. */
export function lfsKey(oid: string): string {
  return `lfs/${oid.slice(0, 2)}/${oid.slice(2, 4)}/${oid.slice(4)}`;
}

/** Whether a text is a valid object ID. */
export function isLfsOid(oid: string): boolean {
  return /^[0-9a-f]{64}$/.test(oid);
}

/** Returns which of these objects a project does not have. */
export async function missingLfsObjects(db: Reader, projectId: number, oids: readonly string[]): Promise<string[]> {
  const linked = new Set((await linkedObjects(db, projectId, oids)).map((row) => row.oid));
  return oids.filter((oid) => !linked.has(oid));
}

/** Opens an object of a project; undefined if the project does not have it. */
export async function lfsObject(
  services: Services,
  projectId: number,
  oid: string,
  range?: ByteRange,
): Promise<OpenFile | undefined> {
  const [row] = await linkedObjects(services.db.read, projectId, [oid]);
  if (!row) return undefined;
  try {
    return await services.storage.get(lfsKey(oid), range);
  } catch (error) {
    if (error instanceof FileMissing) return undefined;
    throw error;
  }
}

/**
 * Stores an object and links it to a project. Only a client that sends the content gets access to it, even if another
 * project already stored the same object. Throws `FileMismatch` if the content does not match.
 */
export async function storeLfsObject(
  services: Services,
  projectId: number,
  object: { readonly oid: string; readonly size: number },
  body: AsyncIterable<Uint8Array>,
  options: { readonly signal?: AbortSignal } = {},
): Promise<void> {
  const { db, storage } = services;
  const key = lfsKey(object.oid);
  const expected = { expectedSize: object.size, expectedSha256: object.oid, maxSize: object.size };
  // The row is inserted first, so that the sweep finds the file if it is never linked to a project.
  await db.write((trx) => insertPendingObject(trx, object));
  await storage.put(key, body, { ...expected, ...options });
  fault('lfs.stored');
  await db.write((trx) => linkObject(trx, projectId, object, async () => (await storage.stat(key)) !== undefined));
}
