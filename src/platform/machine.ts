import { access, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolders } from './folders.ts';
import { gitVersion, MINIMUM_GIT } from './git/process/version.ts';

/** The server cannot start; the message is for its operator. */
export class StartRefused extends Error {
  override readonly name: string = 'StartRefused';
  // Workers report failures to their primary by code and message.
  readonly code = 'START_REFUSED';
}

/** A problem of the machine, and what to do about it. */
export interface Trouble {
  /** Shown to anyone, so it contains no path of the machine. */
  readonly reason: string;
  readonly advice: string;
}

/** With less space, the next push or upload would fail. */
const minFreeBytes = 16 * 1024 * 1024;

/** Why git cannot be used; undefined if it can. */
export async function gitTrouble(): Promise<Trouble | undefined> {
  const required = MINIMUM_GIT.join('.');
  const advice = `install git ${required} or newer, and make sure that it is in PATH`;
  try {
    const { version, supported } = await gitVersion();
    return supported ? undefined : { reason: `git ${version} is too old`, advice };
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return { reason: missing ? 'git could not be found' : 'git does not run', advice };
  }
}

/** Why the data directory cannot be written to; undefined if it can. */
export async function diskTrouble(data: string): Promise<Trouble | undefined> {
  const probe = join(data, `.probe-${process.pid}`);
  try {
    await writeFile(probe, 'x', { mode: 0o600 });
    await rm(probe, { force: true });
    const { bavail, bsize } = await statfs(data);
    return bavail * bsize < minFreeBytes ? fullDisk : undefined;
  } catch (error) {
    await rm(probe, { force: true }).catch(() => undefined);
    return writeTrouble(data, error);
  }
}

const fullDisk: Trouble = {
  reason: 'the disk is full',
  advice: 'make room, or move the data directory to a larger disk',
};

function writeTrouble(data: string, error: unknown): Trouble {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOSPC' || code === 'EDQUOT') return fullDisk;
  if (code === 'ENOTDIR' || code === 'EEXIST') {
    const reason = 'there is a file where the data directory should be';
    return { reason, advice: `move ${data} away, or name another directory with --data` };
  }
  const reason = `the data directory cannot be written to (${code ?? error})`;
  return { reason, advice: `give ${data} to the user that Hearth runs as, or name another with --data` };
}

/** A file in the data directory while a backup is restored into it. */
export const restoreMark = 'restore-unfinished';

/** Why the data directory is incomplete; undefined unless a restore into it has not finished. */
export async function restoreTrouble(data: string): Promise<Trouble | undefined> {
  const unfinished = await access(join(data, restoreMark)).then(
    () => true,
    () => false,
  );
  if (!unfinished) return undefined;
  return {
    reason: 'a restore into the data directory has not finished',
    advice: `if none is running, remove ${data}, and the tables of a database at DATABASE_URL, and restore again`,
  };
}

/** Creates the data directory; throws `StartRefused` if that is impossible, or it is incomplete. */
export async function prepareDataDirectory(data: string): Promise<void> {
  const trouble = await makeFolders(data).then(
    () => restoreTrouble(data),
    (error: unknown) => writeTrouble(data, error),
  );
  refuse(trouble ?? (await diskTrouble(data)));
}

/** Throws `StartRefused` if git is missing: otherwise every code page would fail in its own way. */
export async function refuseWithoutGit(): Promise<void> {
  refuse(await gitTrouble());
}

function refuse(trouble: Trouble | undefined): void {
  if (trouble) throw new StartRefused(`${trouble.reason}: ${trouble.advice}`);
}
