import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { constants, inflateSync } from 'node:zlib';
import { type Commit, MAX_TEXT, parseCommit } from './commit.ts';
import { canBeLfsPointer } from './lfs-pointer.ts';

/** The relevant objects of a small push, read from its quarantine without starting a process. */
export interface QuarantinedObjects {
  readonly commits: ReadonlyMap<string, Commit>;
  /** The contents of the blobs that have the size of an LFS pointer. */
  readonly pointerSized: readonly Buffer[];
}

// git unpacks pushes with fewer objects than this; larger ones stay packs and are read by git.
const maxObjects = 200;
const maxBytes = 64 * 1024;
/** The deflate header comes first and can fill this many bytes before the first byte of the object. */
const headBytes = 512;

/** Reads the loose objects of a quarantine; null when it contains a pack, or too many or too large objects. */
export async function readQuarantine(objectDirectory: string): Promise<QuarantinedObjects | null> {
  const names = await readdir(objectDirectory);
  if (names.includes('pack') && (await readdir(join(objectDirectory, 'pack'))).length > 0) return null;
  const folders = names.filter((name) => /^[0-9a-f]{2}$/.test(name));
  const inside = await Promise.all(folders.map((folder) => readdir(join(objectDirectory, folder))));
  const ids = folders.flatMap((folder, i) => (inside[i] ?? []).map((file) => `${folder}${file}`));
  if (ids.length > maxObjects) return null;
  const commits = new Map<string, Commit>();
  const pointers: Buffer[] = [];
  for (const id of ids) {
    const object = await readLoose(join(objectDirectory, id.slice(0, 2), id.slice(2)));
    if (object === null) return null;
    if (object.type === 'commit') commits.set(id, parseCommit(id, object.data));
    if (object.type === 'blob' && object.data.length > 0) pointers.push(object.data);
  }
  return { commits, pointerSized: pointers };
}

/**
 * Reads a loose object; the content of trees and of blobs that cannot be LFS pointers is left out. Returns null for a
 * huge commit or an unreadable header.
 */
async function readLoose(path: string): Promise<{ type: string; data: Buffer } | null> {
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(maxBytes), 0, maxBytes, 0);
    const packed = buffer.subarray(0, bytesRead);
    const head = inflateSync(packed.subarray(0, headBytes), { finishFlush: constants.Z_SYNC_FLUSH });
    const end = head.indexOf(0);
    if (end < 0) return null;
    const [type = '', size = ''] = head.toString('latin1', 0, end).split(' ');
    if (type === 'tree' || (type === 'blob' && !canBeLfsPointer(Number(size)))) return { type, data: Buffer.alloc(0) };
    if (bytesRead === maxBytes) return null;
    // Compressed data can expand a thousandfold; such objects are left to git.
    if (Number(size) >= MAX_TEXT) return null;
    return { type, data: inflateSync(packed, { maxOutputLength: MAX_TEXT + end + 1 }).subarray(end + 1) };
  } finally {
    await file.close();
  }
}

/** Whether a commit of the quarantine descends from another, as far as the quarantine's own commits show. */
export function descendsFrom({ commits }: QuarantinedObjects, from: string, ancestor: string): boolean {
  const seen = new Set<string>();
  const pending = [from];
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    if (id === ancestor) return true;
    if (seen.has(id)) continue;
    seen.add(id);
    pending.push(...(commits.get(id)?.parents ?? []));
  }
  return false;
}
