import { CompiledQuery, sql } from 'kysely';
import type { Database, Reader } from './engine.ts';
import { type Migration, searchedTexts, withMigrationLock } from './migrator.ts';
import { postgresSchema } from './search-schema.ts';

const databasesWithout = new WeakSet<Reader>();

/** Whether the database has no search indexes, so that searches scan tables. */
export function lacksSearchIndexes(db: Reader): boolean {
  return databasesWithout.has(db);
}

/**
 * Creates search indexes that the PostgreSQL server did not permit when the schema was migrated. If it still does not,
 * searches scan whole tables, and `hint` is called with the reason.
 */
export async function prepareSearch(
  db: Database,
  migrations: readonly Migration[],
  hint: (reason: unknown, remedy: string) => void,
): Promise<void> {
  if (db.engine === 'sqlite') return;
  const searched = searchedTexts(migrations);
  const names = searched.map(({ table }) => `${table}_search`);
  const { rows } = await sql<{ name: string }>`select relname as name from pg_class
    where relkind = 'i' and relname in (${sql.join(names)}) and pg_table_is_visible(oid)`.execute(db.read);
  const present = new Set(rows.map(({ name }) => name));
  const missing = searched.filter(({ table }) => !present.has(`${table}_search`));
  if (missing.length === 0) return;
  try {
    await withMigrationLock(db, async (trx) => {
      for (const statement of missing.flatMap(postgresSchema)) await trx.executeQuery(CompiledQuery.raw(statement));
    });
  } catch (error) {
    databasesWithout.add(db.read);
    hint(error, 'have a superuser run "create extension pg_trgm" in the database, and restart');
  }
}
