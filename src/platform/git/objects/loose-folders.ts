import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

// A repack removes every folder of loose objects that it finds empty, even one just created to receive an object. It
// visits each folder once per run, so a few attempts suffice.
const TRIES = 100;

const FAN_OUT = /^[0-9a-f]{2}$/;

/** Returns a file name that `git prune` recognises as left over from a crash. */
export function temporaryName(folder: string): string {
  return join(folder, `tmp_obj_${randomBytes(9).toString('base64url')}`);
}

/** Creates the folder of a loose object and runs `put`, retrying when a repack removes the folder in between. */
async function putIntoFolder<T>(folder: string, put: () => Promise<T>): Promise<{ readonly put: T; created: boolean }> {
  let created = false;
  for (let attempt = 1; ; attempt++) {
    created = (await mkdir(folder).then(() => true, existsAlready)) || created;
    try {
      return { put: await put(), created };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === TRIES) throw error;
    }
  }
}

/** Renames a loose object to its final name; returns whether its folder is new. */
export async function renameLoose(from: string, to: string): Promise<boolean> {
  return (await putIntoFolder(dirname(to), () => rename(from, to))).created;
}

/**
 * Keeps the target folders of a quarantine's loose objects in place until the returned function is called. git creates
 * a folder and then links the object into it, and aborts the push when a repack removes the folder in between.
 */
export async function holdFolders(quarantine: string, objects: string): Promise<() => Promise<void>> {
  const names = (await readdir(quarantine)).filter((name) => FAN_OUT.test(name));
  const holders = names.map((name) => temporaryName(join(objects, name)));
  const release = async () => {
    await Promise.all(holders.map((path) => rm(path, { force: true })));
  };
  try {
    await Promise.all(
      holders.map((path) => putIntoFolder(dirname(path), async () => (await open(path, 'wx')).close())),
    );
  } catch (error) {
    await release();
    throw error;
  }
  return release;
}

function existsAlready(error: NodeJS.ErrnoException): false {
  if (error.code === 'EEXIST') return false;
  throw error;
}
