import type { Insertable } from 'kysely';
import type { Writer } from '../../../platform/database/database.ts';
import type { BoardListRow, BoardListsTable } from '../tables.ts';

export function insertList(trx: Writer, row: Insertable<BoardListsTable>): Promise<BoardListRow> {
  return trx.insertInto('board_lists').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function deleteList(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('board_lists').where('id', '=', id).execute();
}

export async function setPosition(trx: Writer, id: number, position: number): Promise<void> {
  await trx.updateTable('board_lists').set({ position, updated_at: Date.now() }).where('id', '=', id).execute();
}
