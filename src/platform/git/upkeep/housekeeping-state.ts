import type { Dirent } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifMissing } from '../../missing.ts';
import type { Repository } from '../repository.ts';
import type { RepositoryState } from './housekeeping-plan.ts';

/** Marker file: its modification time is that of the last full repack. */
export const FULL_REPACK_MARK = 'hearth-full-repack';

/** Marker file: its modification time is that of the last commit-graph update. */
export const COMMIT_GRAPH_MARK = 'hearth-commit-graph';

const FAN_OUT = /^[0-9a-f]{2}$/;
const STALE_MS = 24 * 60 * 60 * 1000;

/** Collects the state of a repository from its files. */
export async function repositoryState(repo: Repository): Promise<RepositoryState> {
  const objects = join(repo.path, 'objects');
  const loose = await looseObjects(objects);
  const packs = await packFiles(repo);
  const main = packs.filter((pack) => !pack.cruft);
  const refs = await looseRefs(join(repo.path, 'refs'));
  const packedRefs = await fileAt(join(repo.path, 'packed-refs'));
  const graph = await fileAt(join(repo.path, COMMIT_GRAPH_MARK));
  const full = await fileAt(join(repo.path, FULL_REPACK_MARK));
  return {
    looseObjects: loose.count,
    packs: main.length,
    packBytes: main.reduce((sum, pack) => sum + pack.bytes, 0),
    hasBitmap: await hasBitmap(objects),
    looseRefs: refs.count,
    packedRefsBytes: packedRefs?.bytes ?? 0,
    refsChanged: Math.max(refs.newest, packedRefs?.mtime ?? 0),
    commitGraph: graph?.mtime,
    fullRepack: full?.mtime,
    objectsChanged: Math.max(loose.newest, ...packs.map((pack) => pack.mtime), 0),
  };
}

/** A pack with all its files. */
export interface PackFiles {
  /** `pack-<hash>`. */
  readonly name: string;
  readonly bytes: number;
  readonly mtime: number;
  /** Whether it is a cruft pack: unreachable objects with their modification times. */
  readonly cruft: boolean;
  /** Names of its files: .pack, .idx, .rev, ... */
  readonly files: readonly string[];
}

/** Lists the packs of a repository; a pack without its index is still being written and is left out. */
export async function packFiles(repo: Repository): Promise<PackFiles[]> {
  const folder = join(repo.path, 'objects', 'pack');
  const names = (await entries(folder)).map((entry) => entry.name);
  const found: PackFiles[] = [];
  for (const index of names.filter((name) => /^pack-[0-9a-f]+\.idx$/.test(name))) {
    const name = index.slice(0, -'.idx'.length);
    const pack = await fileAt(join(folder, `${name}.pack`));
    if (!pack) continue;
    const files = names.filter((file) => file.startsWith(`${name}.`));
    found.push({ name, bytes: pack.bytes, mtime: pack.mtime, cruft: files.includes(`${name}.mtimes`), files });
  }
  return found;
}

/**
 * Removes leftovers of crashed processes that have not been written to for a day: packs and quarantines, which are
 * large and quick to find, or unfinished loose objects too. Returns their number.
 */
export async function removeStaleFiles(repo: Repository, now: number, which: 'packs' | 'all' = 'all'): Promise<number> {
  const objects = join(repo.path, 'objects');
  const folders = [objects, join(objects, 'pack')];
  if (which === 'all') {
    for (const entry of await entries(objects)) if (FAN_OUT.test(entry.name)) folders.push(join(objects, entry.name));
  }
  let removed = 0;
  for (const folder of folders) {
    for (const entry of await entries(folder)) {
      if (!/^\.?tmp[_-]/.test(entry.name)) continue;
      const path = join(folder, entry.name);
      if (now - (await newestChange(path)) <= STALE_MS) continue;
      await rm(path, { recursive: true, force: true });
      removed++;
    }
  }
  return removed;
}

async function looseObjects(objects: string): Promise<{ count: number; newest: number }> {
  let count = 0;
  let newest = 0;
  for (const folder of await entries(objects)) {
    if (!FAN_OUT.test(folder.name)) continue;
    const files = (await entries(join(objects, folder.name))).filter((file) => /^[0-9a-f]{38,}$/.test(file.name));
    count += files.length;
    if (files.length > 0) newest = Math.max(newest, (await fileAt(join(objects, folder.name)))?.mtime ?? 0);
  }
  return { count, newest };
}

async function looseRefs(folder: string): Promise<{ count: number; newest: number }> {
  // Deleting a ref changes the modification time of its folder.
  let newest = (await fileAt(folder))?.mtime ?? 0;
  let count = 0;
  for (const entry of await entries(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      const below = await looseRefs(path);
      count += below.count;
      newest = Math.max(newest, below.newest);
    } else if (!entry.name.endsWith('.lock')) {
      count++;
      newest = Math.max(newest, (await fileAt(path))?.mtime ?? 0);
    }
  }
  return { count, newest: count > 0 ? newest : 0 };
}

async function hasBitmap(objects: string): Promise<boolean> {
  return (await entries(join(objects, 'pack'))).some((entry) => entry.name.endsWith('.bitmap'));
}

async function newestChange(path: string): Promise<number> {
  const own = (await fileAt(path))?.mtime ?? 0;
  const below = await Promise.all((await entries(path)).map((entry) => newestChange(join(path, entry.name))));
  return Math.max(own, ...below);
}

/** Returns the entries of a folder; none when it is missing or not a folder, as it may be removed concurrently. */
async function entries(folder: string): Promise<Dirent[]> {
  return (await readdir(folder, { withFileTypes: true }).catch(ifMissing)) ?? [];
}

async function fileAt(path: string): Promise<{ bytes: number; mtime: number } | undefined> {
  const found = await stat(path).catch(ifMissing);
  return found && { bytes: found.size, mtime: found.mtimeMs };
}
