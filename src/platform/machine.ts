import { mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gitVersion, MINIMUM_GIT } from './git/process/version.ts';

/** A start that cannot lead to a working server, in words for whoever runs it. */
export class StartRefused extends Error {
  override readonly name: string = 'StartRefused';
  // Workers tell their primary of failures by code and text.
  readonly code = 'START_REFUSED';
}

/** What of the machine does not work, and what to do about it. */
export interface Trouble {
  /** Names no folder of the machine: anybody may be told. */
  readonly reason: string;
  readonly advice: string;
}

/** With less, the next push or upload fails half-way. */
const leastFreeBytes = 16 * 1024 * 1024;

/** Why git cannot be used; undefined where it can. */
export async function gitTrouble(): Promise<Trouble | undefined> {
  const wanted = MINIMUM_GIT.join('.');
  const advice = `install git ${wanted} or newer, and make sure that it is in PATH`;
  try {
    const { version, supported } = await gitVersion();
    return supported ? undefined : { reason: `git ${version} is too old`, advice };
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return { reason: missing ? 'git could not be found' : 'git does not run', advice };
  }
}

/** Why nothing can be written to the data directory; undefined where something was. */
export async function diskTrouble(data: string): Promise<Trouble | undefined> {
  const probe = join(data, `.probe-${process.pid}`);
  try {
    await writeFile(probe, 'x', { mode: 0o600 });
    await rm(probe, { force: true });
    const { bavail, bsize } = await statfs(data);
    return bavail * bsize < leastFreeBytes ? fullDisk : undefined;
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

/** Makes the data directory, or says why there cannot be one. */
export async function prepareDataDirectory(data: string): Promise<void> {
  const made = await mkdir(data, { recursive: true, mode: 0o700 }).then(
    () => undefined,
    (error: unknown) => writeTrouble(data, error),
  );
  refuse(made ?? (await diskTrouble(data)));
}

/** Refuses to serve without git: every page of code would fail, each in its own way. */
export async function refuseWithoutGit(): Promise<void> {
  refuse(await gitTrouble());
}

function refuse(trouble: Trouble | undefined): void {
  if (trouble) throw new StartRefused(`${trouble.reason}: ${trouble.advice}`);
}
