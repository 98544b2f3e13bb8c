import { rmSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../src/platform/alive.ts';

// The hostname is part of the name: containers may share a temporary directory but not process ids.
const prefix = `hearth-${hostname().replace(/[^\w.]/g, '_')}-`;

/** Creates a directory that is removed when this process exits. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }));
  return directory;
}

/** Removes directories of processes that were killed before they could clean up. */
export async function sweepTemporaryDirectories(): Promise<void> {
  const abandoned = (await readdir(tmpdir())).filter((name) => {
    const owner = name.startsWith(prefix) ? /^(\d+)-\w{6}$/.exec(name.slice(prefix.length)) : null;
    return owner !== null && !isAlive(Number(owner[1]));
  });
  await Promise.all(abandoned.map((name) => remove(join(tmpdir(), name))));
}

async function remove(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true }).catch((error: NodeJS.ErrnoException) => {
    // Directories of other users are left to them.
    if (error.code !== 'EACCES' && error.code !== 'EPERM') throw error;
  });
}
