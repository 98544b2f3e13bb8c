import type { Database } from './engine.ts';
import { type Migration, pendingMigrations, SchemaMismatch } from './migrator.ts';

/** Another server may migrate the database to a newer version at any time; an outdated server must stop soon after. */
const intervalMs = 5000;

export interface Watch {
  /** Resolves with a message once the schema is newer than these migrations. */
  readonly newerSchema: Promise<string>;
  stop(): void;
}

/** Polls whether a newer version has migrated the database. */
export function watchSchema(db: Database, migrations: readonly Migration[]): Watch {
  let stop = () => {};
  const newerSchema = new Promise<string>((resolve) => {
    let checking = false;
    const timer = setInterval(async () => {
      // Do not queue queries to a database that hangs.
      if (checking) return;
      checking = true;
      const reason = await newerSchemaReason(db, migrations);
      checking = false;
      if (reason === undefined) return;
      clearInterval(timer);
      resolve(reason);
    }, intervalMs).unref();
    stop = () => clearInterval(timer);
  });
  return { newerSchema, stop };
}

async function newerSchemaReason(db: Database, migrations: readonly Migration[]): Promise<string | undefined> {
  try {
    const { count } = await db.read
      .selectFrom('schema_migrations')
      .select((select) => select.fn.countAll().as('count'))
      .executeTakeFirstOrThrow();
    if (Number(count) <= migrations.length) return undefined;
    await pendingMigrations(db, migrations);
  } catch (error) {
    // An unreachable database is not newer; other queries report that error.
    return error instanceof SchemaMismatch ? error.message : undefined;
  }
  return undefined;
}
