import { type Stats, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
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
  const stamp = (path: string) => {
    const found = statSync(path, { throwIfNoEntry: false });
    folders.set(path, stampOf(found));
    if (found && !isSettled(found, now)) settled = false;
  };
  stamp(root);
  const waiting = [folder];
  for (let below = waiting.pop(); below !== undefined; below = waiting.pop()) {
    const path = join(root, below);
    // The stamp first: what changes after it shows the next time.
    stamp(path);
    for (const entry of await readdir(path, { withFileTypes: true }).catch(noneIfAbsent)) {
      if (entry.isDirectory()) waiting.push(`${below}/${entry.name}`);
      else if (entry.isFile()) names.push(`${below}/${entry.name}`);
    }
  }
  return { names, folders, settled };
}

/** Whether all of these are as they were. Without waiting: a look takes 2 µs, and one by the thread pool ten times that. */
export function areUnchanged(stamps: ReadonlyMap<string, Stamp>): boolean {
  for (const [path, stamp] of stamps) {
    if (stampOf(statSync(path, { throwIfNoEntry: false })) !== stamp) return false;
  }
  return true;
}

/** What shows that a file or folder has changed. */
export function stampOf(found: Stats | undefined): Stamp {
  return found ? `${found.ino}:${found.size}:${found.mtimeMs}:${found.ctimeMs}` : null;
}

/** Whether a file changed so long before that a change from now on cannot have the same time. */
export function isSettled(found: Stats, now: number): boolean {
  return found.mtimeMs <= now - TICK_MS;
}

function noneIfAbsent(error: NodeJS.ErrnoException): never[] {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
  throw error;
}
