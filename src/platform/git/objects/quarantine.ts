import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { constants, inflateSync } from 'node:zlib';
import { type Commit, MAX_TEXT, parseCommit } from './commit.ts';
import { pointerSized } from './lfs-pointer.ts';

/** What a small push brought, read from its quarantine without starting a process. */
export interface QuarantinedObjects {
  readonly commits: ReadonlyMap<string, Commit>;
  /** The contents of the blobs that have the size of an LFS pointer. */
  readonly pointerSized: readonly Buffer[];
}

// git unpacks pushes of fewer objects than this; larger ones stay packs, and are read by git.
const maxObjects = 200;
const maxBytes = 64 * 1024;
/** What comes first says how the rest is packed, and may take as many without a byte of the object among them. */
const headBytes = 512;

/** Reads the loose objects of a quarantine; null when there is a pack, or more than is worth reading like this. */
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

/** A loose object as far as it is of interest: blobs of other sizes are left empty. Null for what is not worth it: a huge commit, or a beginning that cannot be read. */
async function readLoose(path: string): Promise<{ type: string; data: Buffer } | null> {
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(maxBytes), 0, maxBytes, 0);
    const packed = buffer.subarray(0, bytesRead);
    const head = inflateSync(packed.subarray(0, headBytes), { finishFlush: constants.Z_SYNC_FLUSH });
    const end = head.indexOf(0);
    if (end < 0) return null;
    const [type = '', size = ''] = head.toString('latin1', 0, end).split(' ');
    if (type === 'tree' || (type === 'blob' && !pointerSized(Number(size)))) return { type, data: Buffer.alloc(0) };
    if (bytesRead === maxBytes) return null;
    // A few bytes can stand for a thousand times as many: those are left to git.
    if (Number(size) >= MAX_TEXT) return null;
    return { type, data: inflateSync(packed, { maxOutputLength: MAX_TEXT + end + 1 }).subarray(end + 1) };
  } finally {
    await file.close();
  }
}

/** Whether a commit of the quarantine has another in its history, as far as the quarantine shows it. */
export function leadsTo({ commits }: QuarantinedObjects, from: string, ancestor: string): boolean {
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
