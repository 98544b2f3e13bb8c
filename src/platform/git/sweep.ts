import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Repository } from './repository.ts';

/**
 * Removes lock files that are older than any write can last: a crash left them behind, and they would refuse every
 * later write. Returns how many were removed. (Unfinished objects are housekeeping's to remove: they harm nobody.)
 */
export async function removeStaleLocks(repo: Repository, olderThanMs: number): Promise<number> {
  const files = await named(repo.path, /^(?:HEAD|packed-refs|config|shallow)\.lock$/);
  return removeOld([...files, ...(await locks(join(repo.path, 'refs')))], Date.now() - olderThanMs);
}

/** Removes repositories that were being created or deleted when the server stopped. */
export async function sweepRepositories(root: string, olderThanMs: number): Promise<number> {
  const candidates: string[] = [];
  for (const first of await named(root, /^[0-9a-f]{2}$/)) {
    for (const second of await named(first, /^[0-9a-f]{2}$/)) {
      candidates.push(...(await named(second, /\+(?:new|deleted)-[0-9a-f-]{36}$/)));
    }
  }
  return removeOld(candidates, Date.now() - olderThanMs);
}

async function removeOld(paths: readonly string[], before: number): Promise<number> {
  let removed = 0;
  for (const path of paths) {
    const found = await stat(path).catch(absent);
    if (!found || found.mtimeMs > before) continue;
    await rm(path, { recursive: true, force: true });
    removed++;
  }
  return removed;
}

async function named(folder: string, pattern: RegExp): Promise<string[]> {
  const names = (await readdir(folder).catch(absent)) ?? [];
  return names.filter((name) => pattern.test(name)).map((name) => join(folder, name));
}

async function locks(folder: string): Promise<string[]> {
  const names = (await readdir(folder, { recursive: true }).catch(absent)) ?? [];
  return names.filter((name) => name.endsWith('.lock')).map((name) => join(folder, name));
}

function absent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
  throw error;
}
