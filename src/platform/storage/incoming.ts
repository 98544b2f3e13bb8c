import { hash, randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../alive.ts';
import { ifMissing } from '../missing.ts';

const day = 24 * 60 * 60 * 1000;
const host = hash('sha256', hostname(), 'hex').slice(0, 8);
const ownPaths = new Set<string>();

/** A directory for incomplete files, in the same file system as the final ones, so that they can be renamed. */
export interface Incoming {
  /** Returns a path for a new file. */
  take(): string;
  /** Deletes the file if it still exists. */
  drop(path: string): Promise<void>;
}

/** Opens the directory and deletes files left by crashed processes. */
export async function openIncoming(directory: string): Promise<Incoming> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await sweep(directory);
  return {
    take() {
      const path = join(directory, `${host}.${process.pid}.${randomUUID()}`);
      ownPaths.add(path);
      return path;
    },
    async drop(path) {
      await rm(path, { force: true });
      ownPaths.delete(path);
    },
  };
}

// Other processes may be writing here: delete only files of dead processes, and those unchanged for a day.
async function sweep(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    const path = join(directory, name);
    if (!ownPaths.has(path) && (abandoned(name) || (await untouched(path)))) await rm(path, { force: true });
  }
}

function abandoned(name: string): boolean {
  const [onHost, pid] = name.split('.');
  // A file with our pid that we did not create belongs to an earlier process with the same pid.
  return onHost === host && (Number(pid) === process.pid || !isAlive(Number(pid)));
}

async function untouched(path: string): Promise<boolean> {
  const found = await stat(path).catch(ifMissing);
  return found !== undefined && found.mtimeMs < Date.now() - day;
}
