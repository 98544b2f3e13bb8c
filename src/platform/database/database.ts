import type { Database } from './engine.ts';
import { openSqlite } from './sqlite.ts';

export type { Database, Engine, Reader, Writer } from './engine.ts';
export { afterCommit } from './session.ts';

/** Where the database is: a PostgreSQL address, or a SQLite file. */
export interface DatabaseOptions {
  /** `postgres://...`; wins over `file`. */
  url?: string;
  /** The SQLite file, made when missing. */
  file?: string;
  /** PostgreSQL: the most connections to hold open. */
  poolSize?: number;
}

/** Opens the database that the options name. */
export async function openDatabase({ url, file, poolSize }: DatabaseOptions): Promise<Database> {
  if (url) {
    // The driver takes a while to load, and most servers never need it.
    const { openPostgres } = await import('./postgres.ts');
    return openPostgres(url, poolSize);
  }
  if (file) return openSqlite(file);
  throw new Error('openDatabase needs a url or a file');
}
