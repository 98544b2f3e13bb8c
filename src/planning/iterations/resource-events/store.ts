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

/** One page of what is on record of an issue, in the order in which it happened. */
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

/** What a user changed stays on record, as the heir's; without one it goes. */
export async function handOverEvents(trx: Writer, from: number, to: number | null): Promise<void> {
  if (to === null) await trx.deleteFrom('resource_iteration_events').where('user_id', '=', from).execute();
  else {
    await trx.updateTable('resource_iteration_events').set({ user_id: to }).where('user_id', '=', from).execute();
  }
}
