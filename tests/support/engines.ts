import { type Database, type Engine, openDatabase } from '../../src/platform/database/database.ts';
import type { Migration } from '../../src/platform/database/migrator.ts';

/** The engines that every test runs on. */
export const engines: readonly Engine[] = ['sqlite', 'postgres'];

/** A migrated database of the test's own, gone when the test file ends. */
export async function openTestDatabase(engine: Engine, migrations: readonly Migration[]): Promise<Database> {
  throw new Error(`being written: ${engine} ${migrations.length} ${openDatabase.name}`);
}
