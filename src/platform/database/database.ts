import type { Database } from './engine.ts';
import { openPostgres } from './postgres.ts';
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
export function openDatabase({ url, file, poolSize }: DatabaseOptions): Promise<Database> {
  if (url) return openPostgres(url, poolSize);
  if (file) return openSqlite(file);
  throw new Error('openDatabase needs a url or a file');
}
