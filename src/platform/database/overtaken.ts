import type { Database } from './engine.ts';
import { type Migration, pendingMigrations, SchemaMismatch } from './migrator.ts';

/** Another server may bring the database to a newer version at any time; one that does not know it must not go on for long. */
const everyMs = 5000;

export interface Watch {
  /** Resolves with the sentence to say, once the schema is newer than these migrations. */
  readonly overtaken: Promise<string>;
  stop(): void;
}

/** Watches whether a newer version has changed the schema under this one. */
export function watchSchema(db: Database, migrations: readonly Migration[]): Watch {
  let stop = () => {};
  const overtaken = new Promise<string>((resolve) => {
    let looking = false;
    const timer = setInterval(async () => {
      // A database that hangs is asked once.
      if (looking) return;
      looking = true;
      const reason = await newer(db, migrations);
      looking = false;
      if (reason === undefined) return;
      clearInterval(timer);
      resolve(reason);
    }, everyMs).unref();
    stop = () => clearInterval(timer);
  });
  return { overtaken, stop };
}

async function newer(db: Database, migrations: readonly Migration[]): Promise<string | undefined> {
  try {
    const { count } = await db.read
      .selectFrom('schema_migrations')
      .select((select) => select.fn.countAll().as('count'))
      .executeTakeFirstOrThrow();
    if (Number(count) <= migrations.length) return undefined;
    await pendingMigrations(db, migrations);
  } catch (error) {
    // A database that does not answer is no newer: whoever asks it for more is told.
    return error instanceof SchemaMismatch ? error.message : undefined;
  }
  return undefined;
}
