import type { Insertable } from 'kysely';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { fetchPage } from '../../../platform/list-kit/fetch-page.ts';
import type { IterationEventRow, ResourceIterationEventsTable } from '../tables.ts';

export async function insertEvents(
  trx: Writer,
  rows: readonly Insertable<ResourceIterationEventsTable>[],
): Promise<void> {
  if (rows.length > 0) await trx.insertInto('resource_iteration_events').values(rows).execute();
}

/** Returns a page of the iteration events of an issue, oldest first. */
export function eventsOf(
  db: Reader,
  issue: number,
  slice: Slice,
): Promise<{ rows: IterationEventRow[]; total: number }> {
  const query = db.selectFrom('resource_iteration_events').selectAll().where('issue_id', '=', issue).orderBy('id');
  return fetchPage(db, query, slice);
}

export function findEvent(db: Reader, issue: number, id: number): Promise<IterationEventRow | undefined> {
  return db
    .selectFrom('resource_iteration_events')
    .selectAll()
    .where('id', '=', id)
    .where('issue_id', '=', issue)
    .executeTakeFirst();
}

/** Transfers the events of a deleted user to the heir, or deletes them if there is none. */
export async function handOverEvents(trx: Writer, from: number, to: number | null): Promise<void> {
  if (to === null) await trx.deleteFrom('resource_iteration_events').where('user_id', '=', from).execute();
  else {
    await trx.updateTable('resource_iteration_events').set({ user_id: to }).where('user_id', '=', from).execute();
  }
}
