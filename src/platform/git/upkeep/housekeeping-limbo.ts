import { link, mkdir, readdir, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { ifMissing } from '../../missing.ts';
import { type GitOptions, type Repository, run } from '../process/command.ts';
import { GitError } from '../process/errors.ts';
import { packFiles } from './housekeeping-state.ts';

/**
 * Resets the age of packs with reachable objects. git expires an unreachable object by the age of its file, which says
 * nothing about how long it has been unreachable. With this before a full repack, objects found unreachable start their
 * two weeks now, and only objects already in cruft packs keep their age.
 */
export async function resetPackAges(repo: Repository, now: number): Promise<void> {
  const seconds = now / 1000;
  for (const pack of await packFiles(repo)) {
    if (pack.cruft) continue;
    await utimes(join(packFolder(repo), `${pack.name}.pack`), seconds, seconds).catch(ifMissing);
  }
}

/**
 * Links the packs from which objects may expire into a separate folder. A ref may be pointed to such an object at the
 * very moment when it expires; until the next full repack the object can be restored from there.
 */
export async function linkExpiringPacks(repo: Repository): Promise<void> {
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

/** Restores the objects in limbo when refs need any of them; returns whether they did. */
export async function restoreExpiringPacks(repo: Repository, limits: Pick<GitOptions, 'signal'>): Promise<boolean> {
  const files = (await readdir(limboFolder(repo)).catch(ifMissing)) ?? [];
  if (files.length === 0 || (await isConnected(repo, limits))) return false;
  // The index makes a pack visible, so it comes last.
  for (const file of files.sort((a, b) => Number(a.endsWith('.idx')) - Number(b.endsWith('.idx')))) {
    await link(join(limboFolder(repo), file), join(packFolder(repo), file)).catch(ifThere);
  }
  return true;
}

/** Deletes the objects in limbo. */
export async function discardExpiringPacks(repo: Repository): Promise<void> {
  await rm(limboFolder(repo), { recursive: true, force: true });
}

/** Whether every object reachable from refs exists. */
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
