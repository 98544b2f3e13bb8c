import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Reader } from '../../platform/database/database.ts';
import { repositoriesBelow } from '../../platform/git/upkeep/sweep.ts';
import { StartRefused } from '../../platform/machine.ts';
import { holdsSecrets, isEmpty } from './store.ts';

/** The data directory and the database do not belong together; continuing would lose or expose data. */
export class LostData extends StartRefused {
  override readonly name = 'LostData';
}

/** Returns what part of the data is missing and how to fix it; undefined if nothing is. */
export async function lostData(db: Reader, data: string): Promise<string | undefined> {
  if (await isEmpty(db)) return lostDatabase(data);
  const keys = join(data, 'secret-keys');
  if ((await exists(keys)) || !(await holdsSecrets(db))) return undefined;
  return `${keys} is gone, and with it the key for the secrets in the database: restore it from a backup`;
}

/**
 * With an empty database, project ids would be assigned again and new projects would get the repositories of old ones.
 */
export async function lostDatabase(data: string): Promise<string | undefined> {
  const root = join(data, 'repositories');
  for await (const _ of repositoriesBelow(root)) {
    return `the database is empty, but ${root} holds the repositories of another: put its database back, or move the folder away`;
  }
  return undefined;
}

/** Throws if part of the data is missing. */
export async function refuseLostData(db: Reader, data: string): Promise<void> {
  const problem = await lostData(db, data);
  if (problem !== undefined) throw new LostData(problem);
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
