import type { Services } from '../../access/services.ts';
import type { Reader } from '../../platform/database/database.ts';
import { fault } from '../../platform/faults.ts';
import { type ByteRange, FileMissing, type OpenFile } from '../../platform/storage/storage.ts';
import { expectObject, linkedObjects, linkObject } from './store.ts';

/** Where the bytes of an object lie. */
export function lfsKey(oid: string): string {
  return `lfs/${oid.slice(0, 2)}/${oid.slice(2, 4)}/${oid.slice(4)}`;
}

/** Whether a text can be the id of an object. */
export function isLfsOid(oid: string): boolean {
  return /^[0-9a-f]{64}$/.test(oid);
}

/** Of these objects, the ones a project does not have. */
export async function missingLfsObjects(db: Reader, projectId: number, oids: readonly string[]): Promise<string[]> {
  const there = new Set((await linkedObjects(db, projectId, oids)).map((row) => row.oid));
  return oids.filter((oid) => !there.has(oid));
}

/** An object of a project, opened; undefined when the project does not have it. */
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
 * Takes the bytes of an object and gives it to a project. Whoever sends them has them: only then is an object that some
 * other project stored before given to this one too. Throws `FileMismatch` when they are other bytes.
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
  // Its row is there before it, so that the bytes go with it where no project ever gets them.
  await db.write((trx) => expectObject(trx, object));
  await storage.put(key, body, { ...expected, ...options });
  fault('lfs.stored');
  await db.write((trx) => linkObject(trx, projectId, object, async () => (await storage.stat(key)) !== undefined));
}
