import { DatabaseSync } from 'node:sqlite';
import { indexDue } from '../search-due-schema.ts';
import { isTransferred, type Load, quoted, type Row, type TableShape } from './shapes.ts';
import { sqliteTables } from './sqlite-snapshot.ts';

/** Rows per transaction; limits the size of the log. */
const batchSize = 10_000;

/** Fills a SQLite file that no other process has open. Triggers fill the search indexes. */
export async function openSqliteLoad(file: string): Promise<Load> {
  const db = new DatabaseSync(file, { enableForeignKeyConstraints: false });
  try {
    const all = sqliteTables(db);
    const tables = all.filter(isTransferred);
    // A backup may predate deferred indexing (`derived_search_due`).
    const commit = all.some(({ name }) => name === 'derived_search_due') ? `${indexDue}; commit` : 'commit';
    db.exec('begin');
    for (const { name } of tables) db.exec(`delete from ${quoted(name)}`);
    db.exec('commit');
    return {
      tables,
      insert: (table, rows) => insert(db, table, rows, commit),
      async finish(lastIds) {
        checkForeignKeys(db);
        setSequences(db, lastIds);
        db.exec('pragma optimize; pragma wal_checkpoint(truncate)');
      },
      close: async () => db.close(),
    };
  } catch (error) {
    db.close();
    throw error;
  }
}

async function insert(
  db: DatabaseSync,
  { name, columns }: TableShape,
  rows: AsyncIterable<Row>,
  commit: string,
): Promise<number> {
  const places = columns.map(() => '?').join(', ');
  const statement = db.prepare(`insert into ${quoted(name)} (${columns.map(quoted).join(', ')}) values (${places})`);
  let count = 0;
  db.exec('begin');
  for await (const row of rows) {
    statement.run(...row);
    count += 1;
    if (count % batchSize === 0) db.exec(`${commit}; begin`);
  }
  db.exec(commit);
  return count;
}

function checkForeignKeys(db: DatabaseSync): void {
  const broken = db.prepare('pragma foreign_key_check').get();
  if (broken) throw new Error(`a row of ${broken.table} references a missing row of ${broken.parent}`);
}

function setSequences(db: DatabaseSync, lastIds: ReadonlyMap<string, number>): void {
  db.exec('begin; delete from sqlite_sequence');
  const set = db.prepare('insert into sqlite_sequence (name, seq) values (?, ?)');
  for (const [table, last] of lastIds) set.run(table, last);
  db.exec('commit');
}
