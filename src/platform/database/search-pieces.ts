import { sql } from 'kysely';
import type { Database, Writer } from './engine.ts';
import { pieceOverlap } from './search-index.ts';
import { piecesPerRow } from './search-pieces-schema.ts';

/** In characters: indexing a piece takes a few milliseconds, whatever it contains. */
const pieceLength = 8192;

/** Index pages merged after each piece: more than a piece can fill, so merging never falls behind. */
const mergedPages = 32;

interface Waiting {
  readonly searched: string;
  readonly row_id: number;
  readonly done: number;
}

/**
 * Indexes one piece of a queued long text, or removes one that is no longer needed; returns false if the queue is
 * empty. Each piece is a transaction of its own that records the progress, so indexing continues after a crash.
 */
export async function indexNextPiece(db: Database): Promise<boolean> {
  if (db.engine !== 'sqlite') return false;
  const nextWaiting = sql<Waiting>`select searched, row_id, done from derived_search_waiting limit 1`;
  if ((await nextWaiting.execute(db.read)).rows.length === 0) return false;
  const table = await db.write(async (trx) => {
    const [waiting] = (await nextWaiting.execute(trx)).rows;
    return waiting && (await indexPiece(trx, waiting));
  });
  if (table !== undefined) await db.write((trx) => mergeSome(trx, table));
  return true;
}

/** Returns the table whose index was written to. */
async function indexPiece(trx: Writer, { searched, row_id, done }: Waiting): Promise<string | undefined> {
  const index = sql.table(`${searched}_pieces`);
  const number = row_id * piecesPerRow + done;
  const end = (row_id + 1) * piecesPerRow;
  const ofRow = sql`searched = ${searched} and row_id = ${row_id}`;
  const piece = await pieceOf(trx, searched, row_id, done);
  if (piece === '') {
    const { rows } = await sql<{ id: number }>`select rowid as id from ${index}
      where rowid >= ${number} and rowid < ${end} limit 1`.execute(trx);
    const [left] = rows;
    if (left) await sql`delete from ${index} where rowid = ${left.id}`.execute(trx);
    else await sql`delete from derived_search_waiting where ${ofRow}`.execute(trx);
    return undefined;
  }
  await sql`delete from ${index} where rowid = ${number}`.execute(trx);
  await sql`insert into ${index} (rowid, piece) values (${number}, ${piece})`.execute(trx);
  await sql`update derived_search_waiting set done = ${done + 1} where ${ofRow}`.execute(trx);
  return searched;
}

/** A piece of the row's text; empty past its end, for a short text, or if the row was deleted. */
async function pieceOf(trx: Writer, searched: string, row: number, done: number): Promise<string> {
  // The text has more pieces than a row may number; the last piece contains the rest.
  if (done >= piecesPerRow) return '';
  const length = done === piecesPerRow - 1 ? Number.MAX_SAFE_INTEGER : pieceLength;
  const from = done * (pieceLength - pieceOverlap) + 1;
  const { rows } = await sql<{ piece: string }>`select substr(text, ${from}, ${length}) as piece
    from ${sql.table(`${searched}_texts`)} where id = ${row} and is_long`.execute(trx);
  return rows[0]?.piece ?? '';
}

async function mergeSome(trx: Writer, table: string): Promise<void> {
  const index = `${table}_pieces`;
  await sql`insert into ${sql.table(index)} (${sql.ref(index)}, rank) values ('merge', ${mergedPages})`.execute(trx);
}
