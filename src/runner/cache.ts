import { createHash } from 'node:crypto';
import { mkdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileWork } from './artifacts.ts';
import { selectFiles, unzipInto, zipFiles } from './files.ts';
import type { JobCache } from './protocol.ts';

/** Returns the path of a cache archive: by project, and with a hashed key, because keys can contain anything. */
function pathOf(store: string, projectId: number, key: string): string {
  return join(store, `${projectId}`, `${createHash('sha256').update(key).digest('hex')}.zip`);
}

/** Where caches are stored, and the key of caches without one. */
export interface CacheOwner {
  readonly store: string;
  readonly projectId: number;
  readonly defaultKey: string;
}

/** Restores a cache, or else the first of its fallbacks that exists. */
export async function restoreCache(work: FileWork, owner: CacheOwner, cache: JobCache): Promise<void> {
  if (cache.policy === 'push') return;
  const keys = [work.expand(cache.key) || owner.defaultKey, ...(cache.fallback_keys ?? []).map(work.expand)];
  for (const key of keys) {
    const path = pathOf(owner.store, owner.projectId, key);
    if (!(await stat(path).catch(() => undefined))) continue;
    work.log(`Restoring cache ${key}...`);
    await unzipInto(path, work.folder);
    return;
  }
  work.log(`No cache for ${keys[0]}`);
}

/** Saves a cache if its policy and the result of the job allow it. */
export async function saveCache(work: FileWork, owner: CacheOwner, cache: JobCache, succeeded: boolean): Promise<void> {
  const when = cache.when || 'on_success';
  if (cache.policy === 'pull' || (when === 'on_success' && !succeeded) || (when === 'on_failure' && succeeded)) return;
  const key = work.expand(cache.key) || owner.defaultKey;
  const files = await selectFiles(work.folder, (cache.paths ?? []).map(work.expand));
  if (files.length === 0) return work.log(`${key}: no matching files`);
  work.log(`Saving cache ${key}...`);
  const path = pathOf(owner.store, owner.projectId, key);
  await mkdir(join(owner.store, `${owner.projectId}`), { recursive: true });
  const temporary = join(work.scratch, 'cache.zip');
  await zipFiles(work.folder, files, temporary);
  // Replaced atomically, because another job may be reading the previous archive.
  await rename(temporary, path);
}
