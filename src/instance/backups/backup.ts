import { readdir, rename, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { apiVersion } from '../../access/api-version.ts';
import type { DatabaseOptions } from '../../platform/database/database.ts';
import type { Snapshot } from '../../platform/database/transfer/shapes.ts';
import { openSnapshot } from '../../platform/database/transfer/snapshot.ts';
import { createGit } from '../../platform/git/git.ts';
import { writeNewFile } from '../../platform/git/objects/durable.ts';
import { repositoryExists } from '../../platform/git/repository.ts';
import { copyRepository } from '../../platform/git/upkeep/copy.ts';
import { repositoriesBelow } from '../../platform/git/upkeep/sweep.ts';
import { ifMissing } from '../../platform/missing.ts';
import { syncDirectory } from '../../platform/storage/directories.ts';
import { copyFiles, makeFolder } from './files.ts';
import { isCopiedSeparately, type Manifest, manifestName, partsOf, readManifest, type TableEntry } from './manifest.ts';
import { writeTableFile } from './table-file.ts';

/** What to back up. */
export interface BackupSource {
  readonly data: string;
  readonly database: DatabaseOptions;
}

export interface Backup {
  readonly folder: string;
  readonly manifest: Manifest;
  /** Older backups that were removed. */
  readonly removed: readonly string[];
}

/**
 * Writes a backup into a new folder below `parent`, named by the time, while the server keeps running. The database is
 * read from a snapshot; repositories and files are copied after it, so that everything the database refers to is
 * included. Files unchanged since the previous backup are hard-linked from it. The newest `keep` backups below `parent`
 * are kept.
 */
export async function takeBackup(
  source: BackupSource,
  parent: string,
  keep = Number.POSITIVE_INFINITY,
): Promise<Backup> {
  await makeFolder(parent);
  const [before] = await completeBackups(parent);
  const takenAt = new Date();
  const name = takenAt.toISOString().replaceAll(':', '').replace(/\.\d+/, '');
  const aside = join(parent, `.${name}.unfinished`);
  await makeFolder(join(aside, 'database'));
  try {
    const manifest = await fill(source, aside, before, takenAt);
    await writeNewFile(join(aside, manifestName), `${JSON.stringify(manifest, null, 2)}\n`, 0o600);
    await syncDirectory(aside);
    const folder = join(parent, name);
    await rename(aside, folder);
    await syncDirectory(parent);
    return { folder, manifest, removed: await removeOlder(parent, keep) };
  } catch (error) {
    await rm(aside, { recursive: true, force: true });
    throw error;
  }
}

async function fill(
  { data, database }: BackupSource,
  folder: string,
  before: string | undefined,
  takenAt: Date,
): Promise<Manifest> {
  const parts = partsOf(folder);
  const earlier = before === undefined ? undefined : partsOf(before);
  const storage = () =>
    copyFiles(join(data, 'storage'), parts.storage, {
      link: true,
      earlier: earlier?.storage,
      except: (name) => name.startsWith('.'),
    });
  // Copied twice: before the snapshot, for files that are deleted while it is read, and after it, for files added
  // meanwhile.
  await storage();
  const snapshot = await openSnapshot(database);
  try {
    const tables = await writeTables(snapshot, folder);
    const repositories = await copyRepositories(join(data, 'repositories'), parts.repositories, earlier?.repositories);
    const files = await storage();
    await copyFiles(data, parts.rest, { link: false, except: isCopiedSeparately });
    await syncDirectory(join(folder, 'database'));
    return {
      format: 1,
      version: apiVersion,
      engine: database.url ? 'postgres' : 'sqlite',
      takenAt: takenAt.toISOString(),
      migrations: [...snapshot.migrations],
      tables,
      repositories,
      files,
    };
  } finally {
    await snapshot.close();
  }
}

async function writeTables(snapshot: Snapshot, folder: string): Promise<TableEntry[]> {
  const entries: TableEntry[] = [];
  for (const table of snapshot.tables) {
    const written = await writeTableFile(partsOf(folder).table(table.name), snapshot.rows(table));
    const lastId = snapshot.lastIds.get(table.name) ?? null;
    entries.push({ name: table.name, columns: [...table.columns], lastId, ...written });
  }
  return entries;
}

async function copyRepositories(from: string, to: string, before: string | undefined): Promise<number> {
  const git = createGit({ root: from });
  let count = 0;
  try {
    for await (const repo of repositoriesBelow(from)) {
      const path = relative(from, repo.path);
      const earlier = before === undefined ? undefined : { path: join(before, path) };
      const known = earlier !== undefined && (await repositoryExists(earlier)) ? earlier : undefined;
      try {
        await copyRepository(git, repo, join(to, path), { earlier: known });
        count += 1;
      } catch (error) {
        // Deleted meanwhile; the deletion is repeated after a restore.
        if (await repositoryExists(repo)) throw error;
      }
    }
  } finally {
    git.close();
  }
  return count;
}

/** Returns the folders of complete backups below a folder, newest first. */
export async function completeBackups(parent: string): Promise<string[]> {
  const names = ((await readdir(parent).catch(ifMissing)) ?? []).filter((name) =>
    /^\d{4}-\d\d-\d\dT\d{6}Z$/.test(name),
  );
  const complete: string[] = [];
  for (const name of names.sort().reverse()) {
    if (await readManifest(join(parent, name))) complete.push(join(parent, name));
  }
  return complete;
}

async function removeOlder(parent: string, keep: number): Promise<string[]> {
  const old = (await completeBackups(parent)).slice(keep);
  for (const folder of old) {
    // The manifest is removed first, so that a partly removed backup counts as incomplete.
    await rm(join(folder, manifestName));
    await rm(folder, { recursive: true });
  }
  return old;
}
