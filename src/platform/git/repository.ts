import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ifMissing } from '../missing.ts';
import { publish, syncFolder, writeNewFile } from './objects/durable.ts';
import { GitArgumentError } from './process/errors.ts';
import { isBranchRef } from './refs/refname.ts';

/** A bare repository on disk, perhaps seen together with the quarantined objects of one push. */
export interface Repository {
  /** Absolute path. */
  readonly path: string;
  readonly quarantine?: { readonly objectDirectory: string; readonly alternates: string };
}

const CONFIG = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n';

/** Where a project's repository lies: by hash, so that renames move nothing and folders stay small. */
export function repositoryPath(root: string, projectId: number | string): string {
  const hash = createHash('sha256').update(String(projectId)).digest('hex');
  return join(root, hash.slice(0, 2), hash.slice(2, 4), `${hash}.git`);
}

/**
 * Creates an empty bare repository, complete or not at all: it is built aside and renamed into place.
 * Writing its few files takes a fraction of starting `git init`. Fails with EEXIST/ENOTEMPTY when there is one.
 * Its refs are files, never a reftable, and its ids SHA-1, whatever git comes to make by itself: both are read here without
 * asking git (`refs/reader.ts`), and a configuration of version 0 says both.
 */
export async function createRepository(path: string, options: { readonly defaultBranch: string }): Promise<Repository> {
  const head = headContent(options.defaultBranch);
  const parent = dirname(path);
  const firstMade = await mkdir(parent, { recursive: true });
  const aside = `${path}+new-${randomUUID()}`;
  try {
    await mkdir(aside);
    await Promise.all([
      writeNewFile(join(aside, 'HEAD'), head),
      writeNewFile(join(aside, 'config'), CONFIG),
      mkdir(join(aside, 'objects', 'pack'), { recursive: true }),
      mkdir(join(aside, 'refs', 'heads'), { recursive: true }),
    ]);
    await syncFolder(aside);
    await publish(aside, path);
  } catch (error) {
    await rm(aside, { recursive: true, force: true });
    throw error;
  }
  if (firstMade) await syncParents(parent, dirname(firstMade));
  return { path };
}

/** Removes a repository: it vanishes at once, its files follow. Nothing happens when there is none. */
export async function deleteRepository(repo: Repository): Promise<void> {
  const aside = `${repo.path}+deleted-${randomUUID()}`;
  try {
    await rename(repo.path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  await syncFolder(dirname(repo.path));
  await rm(aside, { recursive: true, force: true });
}

/** Puts a repository out of the way, where nobody looks for one: it belongs to no project that is known. */
export async function setRepositoryAside(repo: Repository): Promise<boolean> {
  try {
    await rename(repo.path, `${repo.path}+orphaned-${randomUUID()}`);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** Whether a repository lies at that path. */
export async function repositoryExists(repo: Repository): Promise<boolean> {
  return (await stat(join(repo.path, 'HEAD')).catch(ifMissing)) !== undefined;
}

/** The full name of the ref that HEAD points to (its branch may be unborn), or null when HEAD is detached. */
export async function readHead(repo: Repository): Promise<string | null> {
  const text = await readFile(join(repo.path, 'HEAD'), 'utf8');
  return text.startsWith('ref:') ? text.slice(4).trim() : null;
}

/** Points HEAD at a branch, which need not exist yet. */
export async function setHead(repo: Repository, branch: string): Promise<void> {
  const head = join(repo.path, 'HEAD');
  // Not under HEAD.lock: git holds that whenever it moves the branch that HEAD names, or was killed while it did, and
  // itself never changes what HEAD says. Of two who do, the last one counts.
  const aside = `${head}+${randomUUID()}`;
  try {
    await writeNewFile(aside, headContent(branch));
    await publish(aside, head);
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  }
}

function headContent(branch: string): string {
  const ref = `refs/heads/${branch}`;
  if (!isBranchRef(ref)) throw new GitArgumentError('not a branch name');
  return `ref: ${ref}\n`;
}

async function syncParents(from: string, last: string): Promise<void> {
  for (let folder = dirname(from); folder.length >= last.length; folder = dirname(folder)) {
    await syncFolder(folder);
    if (folder === last) return;
  }
}
