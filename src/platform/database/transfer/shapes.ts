/** A column value on either engine. */
export type Value = string | number | null | Uint8Array;

/** A row, in the order of its table's columns. */
export type Row = readonly Value[];

/** A table to transfer: its name and its columns, without generated ones. */
export interface TableShape {
  readonly name: string;
  readonly columns: readonly string[];
}

/** A consistent snapshot of the database, unaffected by concurrent writes. */
export interface Snapshot {
  /** Every table with original data: no indexes, derived tables or migration record. */
  readonly tables: readonly TableShape[];
  /** The applied migrations. */
  readonly migrations: readonly string[];
  /** The last generated id of each table: it must not be reused. */
  readonly lastIds: ReadonlyMap<string, number>;
  rows(table: TableShape): AsyncIterable<Row> | Iterable<Row>;
  close(): Promise<void>;
}

/**
 * A database that is filled with the rows of another, of either engine. It already has the schema at the same
 * migration; rows inserted by its migrations are deleted. Foreign keys are checked when all rows are loaded.
 */
export interface Load {
  readonly tables: readonly TableShape[];
  insert(table: TableShape, rows: AsyncIterable<Row>): Promise<number>;
  /** Checks foreign keys, continues ids where the other database was, and makes the data durable. */
  finish(lastIds: ReadonlyMap<string, number>): Promise<void>;
  /** Closes the database; without a preceding `finish` its contents are unusable. */
  close(): Promise<void>;
}

/** Not transferred: each engine's migrations record themselves. */
export const migrationRecord = 'schema_migrations';

/** Prefix of tables that triggers fill from others, also while those are loaded. */
const derived = 'derived_';

/** Whether a table contains original data. */
export function isTransferred({ name }: Pick<TableShape, 'name'>): boolean {
  return name !== migrationRecord && !name.startsWith(derived);
}

/** Quotes an SQL identifier. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
