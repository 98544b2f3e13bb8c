import type { Database } from './engine.ts';

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
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  throw new Error(`being written: ${JSON.stringify(options)}`);
}
