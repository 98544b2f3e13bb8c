import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ifMissing } from '../missing.ts';
import { publish, syncFolder, writeNewFile } from './objects/durable.ts';
import { GitArgumentError } from './process/errors.ts';
import { isBranchRef } from './refs/refname.ts';

/** A bare repository on disk, optionally together with the quarantined objects of one push. */
export interface Repository {
  /** Absolute path. */
  readonly path: string;
  readonly quarantine?: { readonly objectDirectory: string; readonly alternates: string };
}

const CONFIG = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n';

/** Returns the path of a project's repository: hashed, so that renames move nothing and folders stay small. */
export function repositoryPath(root: string, projectId: number | string): string {
  const hash = createHash('sha256').update(String(projectId)).digest('hex');
  return join(root, hash.slice(0, 2), hash.slice(2, 4), `${hash}.git`);
}

/**
 * Creates an empty bare repository atomically: it is built under a temporary name and renamed into place. Writing its
 * few files is much faster than `git init`. Fails with EEXIST/ENOTEMPTY when it exists. Refs are files, never a
 * reftable, and ids are SHA-1, whatever git's defaults become: both are read here without git (`refs/reader.ts`), and
 * repository format version 0 implies both.
 */
export async function createRepository(path: string, options: { readonly defaultBranch: string }): Promise<Repository> {
  const head = headContent(options.defaultBranch);
  const parent = dirname(path);
  const firstCreated = await mkdir(parent, { recursive: true });
  const temporary = `${path}+new-${randomUUID()}`;
  try {
    await mkdir(temporary);
    await Promise.all([
      writeNewFile(join(temporary, 'HEAD'), head),
      writeNewFile(join(temporary, 'config'), CONFIG),
      mkdir(join(temporary, 'objects', 'pack'), { recursive: true }),
      mkdir(join(temporary, 'refs', 'heads'), { recursive: true }),
      ...(firstCreated ? parentsBetween(parent, dirname(firstCreated)).map(syncFolder) : []),
    ]);
    await syncFolder(temporary);
    await publish(temporary, path);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    throw error;
  }
  return { path };
}

/** Deletes a repository: it is renamed away first, then its files are removed. Does nothing when it does not exist. */
export async function deleteRepository(repo: Repository): Promise<void> {
  const temporary = `${repo.path}+deleted-${randomUUID()}`;
  try {
    await rename(repo.path, temporary);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  await syncFolder(dirname(repo.path));
  await rm(temporary, { recursive: true, force: true });
}

/** Renames an orphaned repository, which belongs to no known project, so that it is no longer found. */
export async function setRepositoryAside(repo: Repository): Promise<boolean> {
  try {
    await rename(repo.path, `${repo.path}+orphaned-${randomUUID()}`);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** Whether a repository exists at the path. */
export async function repositoryExists(repo: Repository): Promise<boolean> {
  return (await stat(join(repo.path, 'HEAD')).catch(ifMissing)) !== undefined;
}

/** Returns the full name of the ref that HEAD points to (its branch may be unborn); null when HEAD is detached. */
export async function readHead(repo: Repository): Promise<string | null> {
  const text = await readFile(join(repo.path, 'HEAD'), 'utf8');
  return text.startsWith('ref:') ? text.slice(4).trim() : null;
}

/** Points HEAD to a branch, which need not exist yet. */
export async function setHead(repo: Repository, branch: string): Promise<void> {
  const head = join(repo.path, 'HEAD');
  // Does not take HEAD.lock: git holds it whenever it moves the branch that HEAD names, and leaves it behind when
  // killed, but never changes HEAD itself. Of two concurrent changes, the last one wins.
  const temporary = `${head}+${randomUUID()}`;
  try {
    await writeNewFile(temporary, headContent(branch));
    await publish(temporary, head);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

function headContent(branch: string): string {
  const ref = `refs/heads/${branch}`;
  if (!isBranchRef(ref)) throw new GitArgumentError('not a branch name');
  return `ref: ${ref}\n`;
}

/** The folders above the first one, up to and including the last. */
function parentsBetween(first: string, last: string): string[] {
  const folders: string[] = [];
  for (let folder = dirname(first); folder.length >= last.length; folder = dirname(folder)) {
    folders.push(folder);
    if (folder === last) break;
  }
  return folders;
}
