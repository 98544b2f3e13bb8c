import { mkdir } from 'node:fs/promises';
import type { Config } from '../src/config.ts';
import { migrations } from '../src/migrations/list.ts';
import { openDatabase } from '../src/platform/database/database.ts';
import { migrate } from '../src/platform/database/migrator.ts';
import { databasePlace } from '../src/server.ts';

/** Brings the database up to date; gives the names of what was applied. */
export async function migrateDatabase(config: Config): Promise<string[]> {
  await mkdir(config.data, { recursive: true, mode: 0o700 });
  const db = await openDatabase(databasePlace(config));
  try {
    return (await migrate(db, migrations)).applied;
  } finally {
    await db.close();
  }
}
