import { type RawBuilder, sql } from 'kysely';
import { Client } from 'pg';
import { type Database, openDatabase, type Writer } from '../../src/platform/database/database.ts';

/** A database, by URL or file. */
export interface Where {
  readonly url?: string;
  readonly file?: string;
}

interface IndexDefinition {
  readonly name: string;
  readonly definition: string;
}

const listed = (names: readonly string[]) => sql.join(names.map((name) => sql.lit(name)));

/** The secondary indexes of tables: creating them after loading takes a tenth of the time. */
async function indexesOf(db: Database, tables: readonly string[]): Promise<readonly IndexDefinition[]> {
  const found =
    db.engine === 'sqlite'
      ? sql<IndexDefinition>`select name, sql as definition from sqlite_master
          where type = 'index' and sql is not null and sql not like 'create unique%' and tbl_name in (${listed(tables)})`
      : sql<IndexDefinition>`select indexname as name, indexdef as definition from pg_indexes
          where tablename in (${listed(tables)}) and indexdef not like 'CREATE UNIQUE%'`;
  return (await found.execute(db.read)).rows;
}

async function sqliteTriggers(db: Database, tables: readonly string[]): Promise<readonly IndexDefinition[]> {
  const found = sql<IndexDefinition>`select name, sql as definition from sqlite_master
    where type = 'trigger' and tbl_name in (${listed(tables)})`;
  return (await found.execute(db.read)).rows;
}

const all = async (trx: Writer, statements: readonly RawBuilder<unknown>[]) => {
  for (const statement of statements) await statement.execute(trx);
};

/** Drops indexes, triggers and foreign key checks of tables; returns the statements that restore them. */
async function bare(db: Database, tables: readonly string[]): Promise<readonly string[]> {
  const indexes = await indexesOf(db, tables);
  const triggers = db.engine === 'sqlite' ? await sqliteTriggers(db, tables) : [];
  await db.write((trx) =>
    all(trx, [
      ...indexes.map(({ name }) => sql`drop index ${sql.ref(name)}`),
      ...triggers.map(({ name }) => sql`drop trigger ${sql.ref(name)}`),
      ...(db.engine === 'sqlite' ? [] : tables.map((table) => sql`alter table ${sql.ref(table)} disable trigger all`)),
    ]),
  );
  const definitions = [...indexes, ...triggers].map(({ definition }) => definition);
  return db.engine === 'sqlite'
    ? definitions
    : [...definitions, ...tables.map((t) => `alter table ${t} enable trigger all`)];
}

/**
 * Fills tables without indexes and triggers; `work` must write what the triggers would. Requires superuser rights on
 * PostgreSQL.
 */
export async function fillBare(
  where: Where,
  tables: readonly string[],
  work: (db: Database) => Promise<void>,
): Promise<void> {
  const db = await openDatabase(where);
  // Index keys are inserted in random order: with SQLite's default cache size, each would require reading a page from
  // the file.
  if (db.engine === 'sqlite') await db.write((trx) => sql`pragma cache_size = -3000000`.execute(trx));
  const back = await bare(db, tables);
  await work(db);
  for (const definition of back) {
    await db.write(async (trx) => {
      if (db.engine === 'postgres') await sql`set local maintenance_work_mem = '1GB'`.execute(trx);
      await sql.raw(definition).execute(trx);
    });
  }
  await db.close();
  if (where.url !== undefined) await vacuum(where.url);
}

/** As autovacuum eventually does; cannot run in a transaction. */
async function vacuum(connectionString: string): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  await client.query('vacuum analyze');
  await client.end();
}
