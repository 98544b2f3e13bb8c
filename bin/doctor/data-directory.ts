import type { Stats } from 'node:fs';
import { access, constants, mkdtemp, readdir, rmdir, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { showBytes } from '../../src/config/units.ts';
import { ifMissing } from '../../src/platform/missing.ts';
import type { Witness } from './clock.ts';
import { type Finding, failed, ok, reason, warning } from './finding.ts';

/** The data directory must be owned by us, writable, and inaccessible to others. */
export async function checkDataDirectory(path: string): Promise<Finding> {
  const found = await statIfThere(path);
  if (found === undefined) return checkCreatable(path);
  if (!found.isDirectory()) {
    return failed('data', `${path} is not a directory`, 'Move it away, or name another directory with --data.');
  }
  try {
    await rmdir(await mkdtemp(join(path, '.doctor-')));
  } catch (error) {
    return failed(
      'data',
      `cannot write: ${reason(error)}`,
      `Give it to the user that runs Hearth: chown -R "$USER" ${path}`,
    );
  }
  return checkOwnership(path, found, process.getuid?.());
}

/** A directory that is owned by another user or open to others is a risk to its contents. */
export function checkOwnership(path: string, found: Pick<Stats, 'uid' | 'mode'>, user: number | undefined): Finding {
  if (user !== undefined && found.uid !== user) {
    return warning(
      'data',
      `${path} belongs to user ${found.uid}, not to ${user}`,
      `Run as its owner, or: chown -R ${user} ${path}`,
    );
  }
  const mode = (found.mode & 0o777).toString(8);
  if ((found.mode & 0o077) !== 0) {
    return warning('data', `${path} has mode ${mode}: others can look into it`, `chmod 700 ${path}`);
  }
  return ok('data', `${path}, mode ${mode}`);
}

/** Free space, in bytes and in inodes. */
export async function checkDisk(path: string): Promise<Finding> {
  const nearest = await nearestExisting(path);
  const { bavail, bsize, ffree, files } = await statfs(nearest);
  return judgeDisk(bavail * bsize, files === 0 ? Number.POSITIVE_INFINITY : ffree);
}

/** A full disk stops every write; a nearly full one deserves a warning. */
export function judgeDisk(free: number, freeFiles: number): Finding {
  const unit = free >= 10 * 1024 ** 3 ? 1024 ** 3 : 1024 ** 2;
  const detail = `${showBytes(Math.floor(free / unit) * unit)} free`;
  const advice = 'Make room, or move the data directory to a larger disk.';
  if (free < 100 * 1024 ** 2) return failed('disk', `only ${detail}`, advice);
  if (freeFiles < 1000) return failed('disk', `room for ${freeFiles} more files only`, advice);
  if (free < 1024 ** 3) return warning('disk', `only ${detail}`, advice);
  return ok('disk', detail);
}

/**
 * Returns the newest modification time in the data directory, which is never in the future unless the clock was set
 * back.
 */
export async function newestTrace(path: string): Promise<Witness[]> {
  if ((await statIfThere(path)) === undefined) return [];
  const names = await readdir(path);
  const dates = await Promise.all(names.map(async (name) => (await statIfThere(join(path, name)))?.mtimeMs ?? 0));
  return [{ name: `the newest file in ${path}`, at: new Date(Math.max(0, ...dates)), kind: 'trace' }];
}

async function checkCreatable(path: string): Promise<Finding> {
  const parent = await nearestExisting(dirname(path));
  try {
    await access(parent, constants.W_OK | constants.X_OK);
    return ok('data', `${path} will be created at the first start`);
  } catch (error) {
    return failed(
      'data',
      `cannot be created: ${reason(error)}`,
      `Create it yourself: install -d -m 700 -o "$USER" ${path}`,
    );
  }
}

async function nearestExisting(path: string): Promise<string> {
  return (await statIfThere(path)) === undefined ? nearestExisting(dirname(path)) : path;
}

async function statIfThere(path: string): Promise<Stats | undefined> {
  return stat(path).catch(ifMissing);
}
