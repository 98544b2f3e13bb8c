import type { Insertable, Updateable } from 'kysely';
import type { BroadcastMessage, BroadcastMessagesTable } from '../../access/tables.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { fetchPage } from '../../platform/list-kit/fetch-page.ts';

/** Lists messages, newest first. */
export function listMessages(db: Reader, slice: Slice): Promise<{ rows: BroadcastMessage[]; total: number }> {
  return fetchPage(db, db.selectFrom('broadcast_messages').selectAll().orderBy('id', 'desc'), slice);
}

export function findMessage(db: Reader, id: number): Promise<BroadcastMessage | undefined> {
  return db.selectFrom('broadcast_messages').selectAll().where('id', '=', id).executeTakeFirst();
}

export function insertMessage(trx: Writer, row: Insertable<BroadcastMessagesTable>): Promise<BroadcastMessage> {
  return trx.insertInto('broadcast_messages').values(row).returningAll().executeTakeFirstOrThrow();
}

export function updateMessage(
  trx: Writer,
  id: number,
  change: Updateable<BroadcastMessagesTable>,
): Promise<BroadcastMessage> {
  return trx
    .updateTable('broadcast_messages')
    .set(change)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export function deleteMessage(trx: Writer, id: number): Promise<BroadcastMessage | undefined> {
  return trx.deleteFrom('broadcast_messages').where('id', '=', id).returningAll().executeTakeFirst();
}
