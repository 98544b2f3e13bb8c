import { DatabaseSync, type StatementSync } from 'node:sqlite';
import {
  isTransferred,
  migrationRecord,
  quoted,
  type Row,
  type Snapshot,
  type TableShape,
  type Value,
} from './shapes.ts';

/** How long to wait for a process that has locked the file, in milliseconds. */
const busyLimit = 30_000;

/** Opens a read transaction: other processes keep writing to the log, which preserves what this one sees. */
export async function openSqliteSnapshot(file: string): Promise<Snapshot> {
  const db = new DatabaseSync(file, { readOnly: true, timeout: busyLimit });
  try {
    db.exec('begin');
    // The first statement takes the snapshot.
    const tables = sqliteTables(db);
    return {
      tables: tables.filter(isTransferred),
      migrations: rowsOf(db.prepare(`select name from ${migrationRecord} order by applied_at, name`)).map(first),
      lastIds: new Map(
        rowsOf(db.prepare('select name, seq from sqlite_sequence where seq > 0')).map((row) => [
          first(row),
          Number(row[1]),
        ]),
      ),
      rows: (table) => sqliteRows(db, table),
      close: async () => db.close(),
    };
  } catch (error) {
    db.close();
    throw error;
  }
}

/** The tables of a file, without search indexes, which are virtual tables and derived from the others. */
export function sqliteTables(db: DatabaseSync): TableShape[] {
  const names = db.prepare(
    "select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite\\_%' escape '\\' order by name",
  );
  const columns = db.prepare('select name from pragma_table_xinfo(?) where hidden = 0 order by cid');
  return rowsOf(names).map(([name]) => ({ name: String(name), columns: rowsOf(columns, String(name)).map(first) }));
}

function* sqliteRows(db: DatabaseSync, { name, columns }: TableShape): Generator<Row, void> {
  const select = db.prepare(`select ${columns.map(quoted).join(', ')} from ${quoted(name)}`);
  select.setReturnArrays(true);
  for (const row of select.iterate()) yield Object.values(row).map(checkedValue);
}

function rowsOf(statement: StatementSync, ...parameters: string[]): Row[] {
  return statement.all(...parameters).map((row) => Object.values(row).map(checkedValue));
}

function first(row: Row): string {
  return String(row[0]);
}

function checkedValue(value: unknown): Value {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value;
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`unsupported column value of type ${typeof value}`);
}
