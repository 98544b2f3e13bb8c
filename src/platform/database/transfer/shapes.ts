/** What a column can hold on either engine. */
export type Value = string | number | null | Uint8Array;

/** A row, in the order of its table's columns. */
export type Row = readonly Value[];

/** A table as it is written down: its name, and the columns that hold what nothing else tells. */
export interface TableShape {
  readonly name: string;
  readonly columns: readonly string[];
}

/** The whole database as it was at one moment, whatever is written meanwhile. */
export interface Snapshot {
  /** Every table that holds what nothing else tells: neither indexes nor the record of the migrations. */
  readonly tables: readonly TableShape[];
  /** The migrations that had been applied. */
  readonly migrations: readonly string[];
  /** Of each table that numbers its rows, the last number given out: it must not be given to another row. */
  readonly lastIds: ReadonlyMap<string, number>;
  rows(table: TableShape): AsyncIterable<Row> | Iterable<Row>;
  close(): Promise<void>;
}

/**
 * A database that is filled with the rows of another, of either engine. It has the schema already, at the same
 * migration; what its migrations put into it is thrown away. References between rows are looked at when all are there.
 */
export interface Load {
  readonly tables: readonly TableShape[];
  insert(table: TableShape, rows: AsyncIterable<Row>): Promise<number>;
  /** Checks the whole, numbers new rows from where the other database was, and makes it durable. */
  finish(lastIds: ReadonlyMap<string, number>): Promise<void>;
  /** Without `finish` before it, leaves nothing of use behind. */
  close(): Promise<void>;
}

/** Not written down: each engine's migrations keep their own. */
export const migrationRecord = 'schema_migrations';

/** Tables that triggers fill from others, and fill again wherever those are copied to. */
const derived = 'derived_';

/** Whether a table holds what nothing else tells. */
export function isWrittenDown({ name }: Pick<TableShape, 'name'>): boolean {
  return name !== migrationRecord && !name.startsWith(derived);
}

/** A name as SQL writes it. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
