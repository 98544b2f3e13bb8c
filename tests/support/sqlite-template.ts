import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '../../src/platform/database/database.ts';
import { fingerprint, type Migration, migrate } from '../../src/platform/database/migrator.ts';
import { ifMissing } from '../../src/platform/missing.ts';

const folder = join(import.meta.dirname, '../../.cache/test-databases');
const dayMs = 24 * 60 * 60_000;

let fingerprints: { readonly migrations: readonly Migration[]; readonly name: string } | undefined;

/** Copies a migrated SQLite database, which is created once per state of the migrations, to a path. */
export async function copyMigrated(migrations: readonly Migration[], file: string): Promise<void> {
  if (fingerprints?.migrations !== migrations) {
    fingerprints = { migrations, name: `${fingerprint('sqlite', migrations)}.db` };
  }
  const template = join(folder, fingerprints.name);
  if ((await stat(template).catch(ifMissing)) === undefined) await makeTemplate(migrations, template);
  await copyFile(template, file);
}

/** Test files may do so concurrently; the last one replaces an equal file. */
async function makeTemplate(migrations: readonly Migration[], template: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await removeOld();
  const aside = `${template}-${randomUUID()}`;
  const database = await openDatabase({ file: aside });
  await migrate(database, migrations);
  // Closing the last connection checkpoints the log into the database file.
  await database.close();
  await rename(aside, template);
}

/** Removes templates of earlier migrations. */
async function removeOld(): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await stat(path).catch(ifMissing);
    if (found && found.mtimeMs < Date.now() - dayMs) await rm(path, { force: true });
  }
}
