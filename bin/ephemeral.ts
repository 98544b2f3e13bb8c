import { rmSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';

// The host belongs to the name: containers may share a temporary directory and count processes each for itself.
const prefix = `hearth-${hostname().replace(/[^\w.]/g, '_')}-`;

/** A directory that is gone when this process is. */
export async function temporaryDirectory(parent = tmpdir()): Promise<string> {
  const directory = await mkdtemp(join(parent, `${prefix}${process.pid}-`));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }));
  return directory;
}

/** Removes what processes left that were killed before they could clean up. */
export async function sweepTemporaryDirectories(parent = tmpdir()): Promise<string[]> {
  const abandoned = (await readdir(parent)).filter((name) => {
    const owner = name.startsWith(prefix) ? /^(\d+)-\w{6}$/.exec(name.slice(prefix.length)) : null;
    return owner !== null && !isAlive(Number(owner[1]));
  });
  const swept = await Promise.all(abandoned.map((name) => remove(join(parent, name))));
  return abandoned.filter((_, index) => swept[index]);
}

async function remove(directory: string): Promise<boolean> {
  try {
    await rm(directory, { recursive: true, force: true });
    return true;
  } catch (error) {
    // What somebody else's server left is theirs to sweep.
    if (error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM')) return false;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Somebody else's process is alive, too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
