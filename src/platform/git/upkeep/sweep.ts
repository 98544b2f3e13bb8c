import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifMissing } from '../../missing.ts';
import type { Repository } from '../repository.ts';
import { removeStaleFiles } from './housekeeping-state.ts';
import { lockOwners } from './lock-owners.ts';

/** Older lock files are stale: no ref update holds a lock this long. */
export const STALE_LOCK_MS = 30_000;
// Indexes over all objects take as long as housekeeping may, possibly on another machine.
const STALE_INDEX_LOCK_MS = 3 * 60 * 60_000;
// Used where the process start times are not available.
const UNKNOWN_OWNER_MS = 10 * 60_000;
// Process start times have a resolution of seconds.
const CLOCK_MS = 2000;

/**
 * Removes lock files that are older than any write can last and have no living owner: they were left by a crash and
 * would block every later write. Returns their number. (Unfinished objects are left to `removeStaleFiles`: they do no
 * harm.)
 */
export async function removeStaleLocks(repo: Repository, olderThanMs = STALE_LOCK_MS): Promise<number> {
  const files = await named(repo.path, /^(?:HEAD|packed-refs|config|shallow)\.lock$/);
  const old = [
    ...(await olderThan([...files, ...(await locks(join(repo.path, 'refs')))], olderThanMs)),
    ...(await olderThan(await indexLocks(repo), STALE_INDEX_LOCK_MS)),
  ];
  if (old.length === 0) return 0;
  const owners = await lockOwners(repo);
  const ownerless = old.filter(({ mtime }) =>
    owners ? owners.every((started) => started > mtime + CLOCK_MS) : mtime < Date.now() - UNKNOWN_OWNER_MS,
  );
  for (const { path } of ownerless) await rm(path, { force: true });
  return ownerless.length;
}

/** Removes repositories whose creation, copy or deletion was interrupted by a server stop. */
export async function sweepRepositories(root: string, olderThanMs: number): Promise<number> {
  const candidates: string[] = [];
  for await (const folder of folders(root)) {
    candidates.push(...(await named(folder, /\+(?:new|fork|deleted)-[0-9a-f-]{36}$/)));
  }
  const old = await olderThan(candidates, olderThanMs);
  for (const { path } of old) await rm(path, { recursive: true, force: true });
  return old.length;
}

/** Yields every repository below a folder. */
export async function* repositoriesBelow(root: string): AsyncGenerator<Repository, void> {
  for await (const folder of folders(root)) {
    for (const path of await named(folder, /^[0-9a-f]{64}\.git$/)) yield { path };
  }
}

/** Removes leftovers of crashed writers in a repository: their locks, and unfinished packs and quarantines. */
export async function sweepRepository(repo: Repository): Promise<number> {
  const heads = await olderThan(await named(repo.path, /^HEAD\+/), STALE_LOCK_MS);
  for (const { path } of heads) await rm(path, { force: true });
  return heads.length + (await removeStaleLocks(repo)) + (await removeStaleFiles(repo, Date.now(), 'packs'));
}

async function* folders(root: string): AsyncGenerator<string, void> {
  for (const first of await named(root, /^[0-9a-f]{2}$/)) yield* await named(first, /^[0-9a-f]{2}$/);
}

async function olderThan(paths: readonly string[], ms: number): Promise<{ path: string; mtime: number }[]> {
  const before = Date.now() - ms;
  const old: { path: string; mtime: number }[] = [];
  for (const path of paths) {
    const found = await stat(path).catch(ifMissing);
    if (found && found.mtimeMs <= before) old.push({ path, mtime: found.mtimeMs });
  }
  return old;
}

async function named(folder: string, pattern: RegExp): Promise<string[]> {
  const names = (await readdir(folder).catch(ifMissing)) ?? [];
  return names.filter((name) => pattern.test(name)).map((name) => join(folder, name));
}

async function locks(folder: string): Promise<string[]> {
  const names = (await readdir(folder, { recursive: true }).catch(ifMissing)) ?? [];
  return names.filter((name) => name.endsWith('.lock')).map((name) => join(folder, name));
}

/** Returns the locks of the commit-graph and of the multi-pack index. */
async function indexLocks(repo: Repository): Promise<string[]> {
  const folders = ['pack', 'info', join('info', 'commit-graphs')].map((name) => join(repo.path, 'objects', name));
  return (await Promise.all(folders.map((folder) => named(folder, /\.lock$/)))).flat();
}
