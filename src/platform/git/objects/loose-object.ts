import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deflate, deflateSync } from 'node:zlib';
import { ifMissing } from '../../missing.ts';
import type { Repository } from '../repository.ts';
import { syncFolder } from './durable.ts';
import { renameLoose, temporaryName } from './loose-folders.ts';
import type { ObjectType } from './object.ts';

/** An object in memory, ready to be written. */
export interface NewObject {
  readonly oid: string;
  readonly type: ObjectType;
  readonly data: Buffer;
}

/** A file written and synced under a temporary name, to be renamed. */
export interface StagedFile {
  readonly from: string;
  readonly to: string;
}

// git's own level for loose objects: they are compressed better when packed.
const LEVEL = 1;
// Every write returns once it is on disk, which saves a separate sync call.
const SYNCED_NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_DSYNC;
const deflateAsync = promisify(deflate);

/** Computes the object id of a new object. */
export function newObject(type: ObjectType, data: Buffer): NewObject {
  return { oid: createHash('sha1').update(objectHeader(type, data.length)).update(data).digest('hex'), type, data };
}

/** Returns the header that git hashes and stores in front of an object's content. */
export function objectHeader(type: ObjectType, size: number): string {
  return `${type} ${size}\0`;
}

/** Returns the folder to which new objects of a repository are written. */
export function objectFolder(repo: Repository): string {
  return repo.quarantine?.objectDirectory ?? join(repo.path, 'objects');
}

/** Returns the path of a loose object. */
export function loosePath(folder: string, oid: string): string {
  return join(folder, oid.slice(0, 2), oid.slice(2));
}

/**
 * Whether the object exists as a loose file. Refreshes its modification time, as git does: housekeeping must not prune
 * an old unused object that a new commit is about to reference.
 */
export async function refreshLoose(folder: string, oid: string): Promise<boolean> {
  const now = new Date();
  try {
    await utimes(loosePath(folder, oid), now, now);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** Writes an object to a temporary file and syncs it; `publishStaged` renames it. */
export async function stageLoose(folder: string, object: NewObject): Promise<StagedFile> {
  const header = Buffer.from(objectHeader(object.type, object.data.length), 'latin1');
  const packed = await compress(Buffer.concat([header, object.data]));
  const from = temporaryName(folder);
  const handle = await open(from, SYNCED_NEW_FILE, 0o444);
  try {
    await handle.writeFile(packed);
  } catch (error) {
    await rm(from, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  return { from, to: loosePath(folder, object.oid) };
}

async function compress(bytes: Buffer): Promise<Buffer> {
  // The round trip to another thread takes longer than deflating a small object.
  return bytes.length < 16 * 1024 ? deflateSync(bytes, { level: LEVEL }) : deflateAsync(bytes, { level: LEVEL });
}

/** Renames staged objects to their final names and makes them durable, with one sync per folder. */
export async function publishStaged(folder: string, staged: readonly StagedFile[]): Promise<void> {
  const fanOut = new Set(staged.map(({ to }) => join(to, '..')));
  const created = await Promise.all(staged.map(({ from, to }) => renameLoose(from, to)));
  // If a repack has removed the folder again, its objects are in a pack.
  const folders = created.includes(true) ? [...fanOut, folder] : [...fanOut];
  await Promise.all(folders.map((path) => syncFolder(path).catch(ifMissing)));
}
