import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'node:test';
import {
  type Database,
  type DatabaseOptions,
  type Engine,
  openDatabase,
} from '../../src/platform/database/database.ts';
import { fingerprint, type Migration, migrate } from '../../src/platform/database/migrator.ts';
import { atEnd } from './at-end.ts';
import { freshPostgres } from './postgres.ts';
import { copyMigrated } from './sqlite-template.ts';

/** The engines every test runs on. */
export const engines: readonly Engine[] = ['sqlite', 'postgres'];

/** Declares the same tests for each engine. */
export function forEachEngine(behaviour: (engine: Engine) => void): void {
  for (const engine of engines) describe(engine, () => behaviour(engine));
}

/** A database with the information needed to open it again. */
export interface TestDatabase extends Database {
  readonly options: DatabaseOptions;
}

/** Opens a migrated database for a test, closed and removed when the test file ends at the latest. */
export async function openTestDatabase(engine: Engine, migrations: readonly Migration[]): Promise<TestDatabase> {
  const options = await testDatabasePlace(engine, migrations);
  const database = await openDatabase(options);
  atEnd(() => database.close());
  await migrate(database, migrations);
  return Object.assign(database, { options });
}

/** Creates a database that can be opened repeatedly, removed when the test file ends. */
export async function testDatabasePlace(engine: Engine, migrations: readonly Migration[]): Promise<DatabaseOptions> {
  if (engine === 'sqlite') {
    const directory = await mkdtemp(join(tmpdir(), 'hearth-test-'));
    atEnd(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }));
    const file = join(directory, 'hearth.db');
    if (migrations.length > 0) await copyMigrated(migrations, file);
    return { file };
  }
  const { url, drop } = await freshPostgres(migrateAt(migrations), fingerprint(engine, migrations));
  atEnd(drop);
  return { url, poolSize: 5 };
}

function migrateAt(migrations: readonly Migration[]): (url: string) => Promise<void> {
  return async (url) => {
    const database = await openDatabase({ url, poolSize: 1 });
    if (migrations.length > 0) await migrate(database, migrations);
    await database.close();
  };
}
