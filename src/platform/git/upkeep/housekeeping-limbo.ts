import { link, mkdir, readdir, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { ifMissing } from '../../missing.ts';
import { type GitOptions, type Repository, run } from '../process/command.ts';
import { GitError } from '../process/errors.ts';
import { packFiles } from './housekeeping-state.ts';

/**
 * git expires an unreachable object by the age of the file it lies in, which says nothing about how long it has been
 * unreachable. So before everything is repacked, packs of reachable objects are made young: what turns out to be
 * unreachable then starts its two weeks now, and only objects that were already set apart keep their old time.
 */
export async function restartClocks(repo: Repository, now: number): Promise<void> {
  const seconds = now / 1000;
  for (const pack of await packFiles(repo)) {
    if (pack.cruft) continue;
    await utimes(join(packFolder(repo), `${pack.name}.pack`), seconds, seconds).catch(ifMissing);
  }
}

/**
 * Links the packs that objects may expire from into a folder of their own. A ref may be pointed at such an object in
 * the very moment in which it expires; until the next full repack it can be brought back from here.
 */
export async function fillLimbo(repo: Repository): Promise<void> {
  const folder = limboFolder(repo);
  await mkdir(folder, { recursive: true });
  for (const pack of await packFiles(repo)) {
    if (!pack.cruft) continue;
    for (const file of pack.files) {
      await link(join(packFolder(repo), file), join(folder, file))
        .catch(ifThere)
        .catch(ifMissing);
    }
  }
}

/** Brings limbo back when refs need something of it; returns whether they did. */
export async function restoreFromLimbo(repo: Repository, limits: Pick<GitOptions, 'signal'>): Promise<boolean> {
  const files = (await readdir(limboFolder(repo)).catch(ifMissing)) ?? [];
  if (files.length === 0 || (await isConnected(repo, limits))) return false;
  // The index makes a pack visible, so it comes last.
  for (const file of files.sort((a, b) => Number(a.endsWith('.idx')) - Number(b.endsWith('.idx')))) {
    await link(join(limboFolder(repo), file), join(packFolder(repo), file)).catch(ifThere);
  }
  return true;
}

/** Lets the objects in limbo go for good. */
export async function emptyLimbo(repo: Repository): Promise<void> {
  await rm(limboFolder(repo), { recursive: true, force: true });
}

/** Whether every object that refs reach is there. */
async function isConnected(repo: Repository, limits: Pick<GitOptions, 'signal'>): Promise<boolean> {
  try {
    await run(
      repo,
      { name: 'rev-list', flags: ['--objects', '--all', '--quiet'] },
      { timeoutMs: 3_600_000, ...limits },
    );
    return true;
  } catch (error) {
    if (error instanceof GitError && error.code > 0) return false;
    throw error;
  }
}

function packFolder(repo: Repository): string {
  return join(repo.path, 'objects', 'pack');
}

function limboFolder(repo: Repository): string {
  return join(repo.path, 'objects', 'hearth-limbo');
}

function ifThere(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'EEXIST') throw error;
}
