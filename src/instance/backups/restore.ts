import { chmod, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Database, type DatabaseOptions, openDatabase } from '../../platform/database/database.ts';
import { type Migration, migrate, SchemaMismatch } from '../../platform/database/migrator.ts';
import { openLoad } from '../../platform/database/transfer/load.ts';
import type { Load } from '../../platform/database/transfer/shapes.ts';
import { fault } from '../../platform/faults.ts';
import { restoreMark, restoreTrouble, StartRefused } from '../../platform/machine.ts';
import { ifMissing } from '../../platform/missing.ts';
import { syncDirectory } from '../../platform/storage/directories.ts';
import { completeBackups } from './backup.ts';
import { copyFiles, makeFolder } from './files.ts';
import { type Manifest, partsOf, readManifest, type TableEntry } from './manifest.ts';
import { digestOf, readTableFile } from './table-file.ts';

/** Target of a restore: an empty data directory and an empty database of either engine. */
export interface RestoreTarget {
  readonly data: string;
  readonly database: DatabaseOptions;
  readonly migrations: readonly Migration[];
}

/** The backup cannot be restored there; the message says what to do. */
export class RestoreRefused extends StartRefused {
  override readonly name = 'RestoreRefused';
}

/**
 * Restores a backup from its folder, or the newest one from a folder of backups. All checks are made before anything is
 * written. The database comes last: a server refuses to start on repositories without one.
 */
export async function restoreBackup(
  from: string,
  target: RestoreTarget,
): Promise<{ folder: string; manifest: Manifest }> {
  const { folder, manifest } = await findBackup(from);
  const then = migrationsOf(manifest, target.migrations);
  await refuseDamage(folder, manifest);
  await refuseOccupied(target);
  const parts = partsOf(folder);
  await makeFolder(target.data);
  const mark = join(target.data, restoreMark);
  await writeFile(mark, '', { flush: true });
  await syncDirectory(target.data);
  await copyFiles(parts.rest, target.data, { link: false });
  await copyFiles(parts.repositories, join(target.data, 'repositories'), { link: false });
  await copyFiles(parts.storage, join(target.data, 'storage'), { link: false });
  fault('restore.files');
  const { file } = target.database;
  // Written to a temporary file until it is complete.
  const place = file === undefined ? target.database : { file: `${file}.restoring` };
  await load(folder, manifest, place, then);
  await withDatabase(place, (db) => migrate(db, target.migrations));
  if (file !== undefined && place.file !== undefined) await rename(place.file, file);
  await chmod(target.data, 0o700);
  await rm(mark);
  await syncDirectory(target.data);
  return { folder, manifest };
}

async function findBackup(from: string): Promise<{ folder: string; manifest: Manifest }> {
  const own = await readManifest(from);
  if (own) return { folder: from, manifest: own };
  const [newest] = await completeBackups(from);
  const manifest = newest === undefined ? undefined : await readManifest(newest);
  if (newest === undefined || manifest === undefined) throw new RestoreRefused(`${from} holds no complete backup`);
  return { folder: newest, manifest };
}

/** Returns the migrations applied when the backup was taken. */
function migrationsOf(manifest: Manifest, migrations: readonly Migration[]): Migration[] {
  const applied = new Set(manifest.migrations);
  const known = migrations.filter(({ name }) => applied.delete(name));
  if (applied.size === 0) return known;
  throw new SchemaMismatch(
    `the backup is newer than this version of Hearth: it has ${[...applied].join(', ')}. Restore it with the version that made it.`,
  );
}

async function refuseDamage(folder: string, { tables }: Manifest): Promise<void> {
  for (const { name, sha256 } of tables) {
    const path = partsOf(folder).table(name);
    const found = await digestOf(path).catch(ifMissing);
    if (found === undefined) throw new RestoreRefused(`${path} is missing`);
    if (found !== sha256) throw new RestoreRefused(`${path} is damaged: its digest does not match`);
  }
}

async function refuseOccupied({ data, database }: RestoreTarget): Promise<void> {
  const names = (await readdir(data).catch(ifMissing)) ?? [];
  const unfinished = await restoreTrouble(data);
  if (unfinished) throw new RestoreRefused(`${unfinished.reason}: ${unfinished.advice}`);
  if (names.length > 0) throw new RestoreRefused(`${data} is not empty; restore into a new folder with --data`);
  if (!database.url) return;
  const occupied = await withLoad(database, async (load) => load.tables.length > 0);
  if (occupied)
    throw new RestoreRefused(
      'the database at DATABASE_URL has tables, if only of an interrupted restore; restore into an empty one',
    );
}

async function load(
  folder: string,
  { tables }: Manifest,
  place: DatabaseOptions,
  migrations: readonly Migration[],
): Promise<void> {
  await withDatabase(place, (db) => migrate(db, migrations));
  await withLoad(place, async (into) => {
    refuseOtherShape(tables, into);
    for (const table of tables) {
      const count = await into.insert(table, readTableFile(partsOf(folder).table(table.name)));
      if (count !== table.rows) throw new RestoreRefused(`${table.name} has ${count} rows instead of ${table.rows}`);
    }
    await into.finish(
      new Map(tables.flatMap(({ name, lastId }) => (lastId === null ? [] : [[name, lastId] as const]))),
    );
  });
}

/** The same migrations create the same tables on both engines. */
function refuseOtherShape(tables: readonly TableEntry[], into: Load): void {
  const shapes = new Map(into.tables.map(({ name, columns }) => [name, new Set(columns)]));
  for (const { name, columns } of tables) {
    const shape = shapes.get(name);
    if (shape === undefined) throw new RestoreRefused(`the schema has no table ${name}`);
    const unknown = columns.find((column) => !shape.has(column));
    if (unknown !== undefined) throw new RestoreRefused(`the table ${name} has no column ${unknown}`);
  }
}

async function withDatabase<T>(place: DatabaseOptions, work: (db: Database) => Promise<T>): Promise<T> {
  const db = await openDatabase(place);
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

async function withLoad<T>(place: DatabaseOptions, work: (load: Load) => Promise<T>): Promise<T> {
  const load = await openLoad(place);
  try {
    return await work(load);
  } finally {
    await load.close();
  }
}
