import { CompiledQuery, sql } from 'kysely';
import type { Database, Reader } from './engine.ts';
import { locked } from './migrator.ts';
import { postgresSchema, type SearchedTexts } from './search-schema.ts';

/** The search indexes that the code uses. */
export const registered = new Set<SearchedTexts>();

const without = new WeakSet<Reader>();

/** Whether the database has no search indexes: searches read tables then. */
export function isMissing(db: Reader): boolean {
  return without.has(db);
}

/**
 * Makes the search indexes that a PostgreSQL server did not allow for when the schema was made. Where it still does
 * not, searches read whole tables, and `hint` is told why.
 */
export async function prepareSearch(db: Database, hint: (reason: unknown, remedy: string) => void): Promise<void> {
  if (db.engine === 'sqlite') return;
  const names = [...registered].flatMap(({ table }) => [table, `${table}_search`]);
  const { rows } = await sql<{ name: string }>`select relname as name from pg_class
    where relkind in ('r', 'i') and relname in (${sql.join(names)}) and pg_table_is_visible(oid)`.execute(db.read);
  const present = new Set(rows.map(({ name }) => name));
  // Modules of another program, as tests are, may search tables that this database does not have.
  const missing = [...registered].filter(({ table }) => present.has(table) && !present.has(`${table}_search`));
  if (missing.length === 0) return;
  try {
    await locked(db, async (trx) => {
      for (const statement of missing.flatMap(postgresSchema)) await trx.executeQuery(CompiledQuery.raw(statement));
    });
  } catch (error) {
    without.add(db.read);
    hint(error, 'have a superuser run "create extension pg_trgm" in the database, and restart');
  }
}
