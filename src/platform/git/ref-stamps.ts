import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** What shows that a file or folder has changed; null when there is none. */
export type Stamp = string | null;

/** The loose refs below a folder, by full name, and the folders that were read with their stamps. */
export interface LooseRefs {
  readonly names: readonly string[];
  readonly folders: ReadonlyMap<string, Stamp>;
  /** None of the folders changed so shortly before that its clock could show a later change as the same one. */
  readonly settled: boolean;
}

// File systems keep time in ticks of some milliseconds, some in whole seconds.
const TICK_MS = 2000;

/**
 * Reads the names of loose refs. git writes a file under another name and renames it, so that every change of a ref
 * shows in its folder, and every change of the packed ones in the folder of the repository.
 */
export async function readLoose(root: string, folder: string, now: number): Promise<LooseRefs> {
  const names: string[] = [];
  const folders = new Map<string, Stamp>();
  let settled = true;
  const stamp = async (path: string) => {
    const found = await statOf(path);
    folders.set(path, stampOf(found));
    if (found && Number(found.mtimeMs) > now - TICK_MS) settled = false;
  };
  await stamp(root);
  const waiting = [folder];
  for (let below = waiting.pop(); below !== undefined; below = waiting.pop()) {
    const path = join(root, below);
    // The stamp first: what changes after it shows the next time.
    await stamp(path);
    for (const entry of await readdir(path, { withFileTypes: true }).catch(noneIfAbsent)) {
      if (entry.isDirectory()) waiting.push(`${below}/${entry.name}`);
      else if (entry.isFile()) names.push(`${below}/${entry.name}`);
    }
  }
  return { names, folders, settled };
}

/** Whether all of these are as they were. */
export async function areUnchanged(stamps: ReadonlyMap<string, Stamp>): Promise<boolean> {
  const now = await Promise.all(Array.from(stamps.keys(), fileStamp));
  return Array.from(stamps.values()).every((stamp, i) => stamp === now[i]);
}

/** What shows that a file or folder has changed. */
export async function fileStamp(path: string): Promise<Stamp> {
  return stampOf(await statOf(path));
}

type Found = Awaited<ReturnType<typeof statOf>>;

async function statOf(path: string) {
  return stat(path, { bigint: true }).catch((error: NodeJS.ErrnoException) => {
    noneIfAbsent(error);
    return undefined;
  });
}

function stampOf(found: Found): Stamp {
  return found ? `${found.ino}:${found.size}:${found.mtimeNs}:${found.ctimeNs}` : null;
}

function noneIfAbsent(error: NodeJS.ErrnoException): never[] {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
  throw error;
}
