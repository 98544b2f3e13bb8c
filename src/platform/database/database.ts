import type { Database } from './engine.ts';
import { openSqlite } from './sqlite.ts';

export type { Database, Engine, Reader, Writer } from './engine.ts';
export { afterCommit } from './session.ts';

/** The location of the database: a PostgreSQL URL or a SQLite file. */
export interface DatabaseOptions {
  /** `postgres://...`; takes precedence over `file`. */
  url?: string;
  /** The SQLite file, created if missing. */
  file?: string;
  /** PostgreSQL: maximum number of open connections. */
  poolSize?: number;
}

/** Opens the configured database. */
export async function openDatabase({ url, file, poolSize }: DatabaseOptions): Promise<Database> {
  if (url) {
    // Loading the driver takes a while, and most servers never need it.
    const { openPostgres } = await import('./postgres.ts');
    return openPostgres(url, poolSize);
  }
  if (file) return openSqlite(file);
  throw new Error('openDatabase needs a url or a file');
}
