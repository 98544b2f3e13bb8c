import { hash, randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../alive.ts';
import { ifMissing } from '../missing.ts';

const day = 24 * 60 * 60 * 1000;
const host = hash('sha256', hostname(), 'hex').slice(0, 8);
const ours = new Set<string>();

/** Where files are written before they are complete; beside the others, so that a rename suffices. */
export interface Incoming {
  /** A path for a new file. */
  take(): string;
  /** Removes the file, if it is still there. */
  drop(path: string): Promise<void>;
}

/** Opens the directory and sweeps what crashed processes left in it. */
export async function openIncoming(directory: string): Promise<Incoming> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await sweep(directory);
  return {
    take() {
      const path = join(directory, `${host}.${process.pid}.${randomUUID()}`);
      ours.add(path);
      return path;
    },
    async drop(path) {
      await rm(path, { force: true });
      ours.delete(path);
    },
  };
}

// Other processes may be writing here now: only files of processes that are gone, or that nobody wrote to for a day.
async function sweep(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    const path = join(directory, name);
    if (!ours.has(path) && (abandoned(name) || (await untouched(path)))) await rm(path, { force: true });
  }
}

function abandoned(name: string): boolean {
  const [onHost, pid] = name.split('.');
  // A file with our own number that is not ours was written by a process of the same number before us.
  return onHost === host && (Number(pid) === process.pid || !isAlive(Number(pid)));
}

async function untouched(path: string): Promise<boolean> {
  const found = await stat(path).catch(ifMissing);
  return found !== undefined && found.mtimeMs < Date.now() - day;
}
