import { sql } from 'kysely';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { newestKept } from './thinning.ts';

const batchSize = 1000;

/** Lists errors with many stored events, after an ID. */
export async function fullErrors(db: Reader, after: number): Promise<number[]> {
  const rows = await db
    .selectFrom('error_tracking_errors')
    .select('id')
    // Must match the condition of the partial index.
    .where('kept_events', '>', sql.lit(200))
    .where('id', '>', after)
    .orderBy('id')
    .limit(100)
    .execute();
  return rows.map(({ id }) => id);
}

/** Position in the list of events of an error. */
export interface EventPosition {
  readonly id: number;
  readonly occurred_at: number;
}

/** Lists events of an error beyond the newest ones that are always kept, newest first; optionally after a position. */
export function olderEvents(db: Reader, error: number, after: EventPosition | undefined) {
  let query = db
    .selectFrom('error_tracking_events')
    .select(['id', 'batch_id', 'occurred_at', 'received_at'])
    .where('error_id', '=', error)
    .orderBy('occurred_at', 'desc')
    .orderBy('id', 'desc')
    .limit(batchSize);
  if (after) query = query.where(sql<boolean>`(occurred_at, id) < (${after.occurred_at}, ${after.id})`);
  return (after ? query : query.offset(newestKept)).execute();
}

/** Deletes events. Returns the number actually deleted by batch and by error. */
export async function deleteEvents(trx: Writer, ids: readonly number[]): Promise<RemovedEvents> {
  if (ids.length === 0) return countRemoved([]);
  const removed = await trx
    .deleteFrom('error_tracking_events')
    .where('id', 'in', [...ids])
    .returning(['batch_id', 'error_id'])
    .execute();
  return countRemoved(removed);
}

/** Deletes the events of these batches. */
export async function deleteEventsIn(trx: Writer, batches: readonly number[]): Promise<RemovedEvents> {
  const removed = await trx
    .deleteFrom('error_tracking_events')
    .where('batch_id', 'in', [...batches])
    .returning(['batch_id', 'error_id'])
    .execute();
  return countRemoved(removed);
}

export interface RemovedEvents {
  readonly batches: ReadonlyMap<number, number>;
  readonly errors: ReadonlyMap<number, number>;
}

function countRemoved(rows: readonly { batch_id: number; error_id: number }[]): RemovedEvents {
  const batches = new Map<number, number>();
  const errors = new Map<number, number>();
  for (const { batch_id, error_id } of rows) {
    batches.set(batch_id, (batches.get(batch_id) ?? 0) + 1);
    errors.set(error_id, (errors.get(error_id) ?? 0) + 1);
  }
  return { batches, errors };
}

/** Decrements the number of stored events or of affected users. */
export async function decrementErrors(
  trx: Writer,
  column: 'kept_events' | 'user_count',
  counts: ReadonlyMap<number, number>,
): Promise<void> {
  for (const [id, count] of [...counts].sort(([a], [b]) => a - b)) {
    await trx
      .updateTable('error_tracking_errors')
      .set((eb) => ({ [column]: eb(column, '-', count) }))
      .where('id', '=', id)
      .execute();
  }
}

/** Deletes a batch of old hourly or daily counts. Returns their number. */
export async function deletePastCounts(trx: Writer, unit: number, before: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from error_tracking_counts where (error_id, unit, starts_at) in (
      select error_id, unit, starts_at from error_tracking_counts
      where unit = ${unit} and starts_at < ${before} limit ${sql.lit(batchSize)})`.execute(trx);
  return Number(numAffectedRows ?? 0);
}

/** Deletes a batch of releases and environments not seen since a time. Returns their number. */
export async function deletePastValues(trx: Writer, before: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from error_tracking_values where (error_id, name, value) in (
      select error_id, name, value from error_tracking_values
      where last_seen < ${before} limit ${sql.lit(batchSize)})`.execute(trx);
  return Number(numAffectedRows ?? 0);
}

/** Deletes a batch of affected users not seen since a time. Returns their number by error. */
export async function deletePastUsers(trx: Writer, before: number): Promise<Map<number, number>> {
  const { rows } = await sql<{ error_id: number }>`
    delete from error_tracking_users where (error_id, identity) in (
      select error_id, identity from error_tracking_users
      where last_seen < ${before} limit ${sql.lit(batchSize)}) returning error_id`.execute(trx);
  const counts = new Map<number, number>();
  for (const { error_id } of rows) counts.set(error_id, (counts.get(error_id) ?? 0) + 1);
  return counts;
}

/** Lists IDs of errors not seen since a time. */
export async function pastErrors(db: Reader, before: number): Promise<number[]> {
  const rows = await db
    .selectFrom('error_tracking_errors')
    .select('id')
    .where('last_seen', '<', before)
    .orderBy('last_seen')
    .orderBy('id')
    .limit(100)
    .execute();
  return rows.map(({ id }) => id);
}

/** Lists IDs of errors of a project. */
export async function errorsOf(db: Reader, project: number): Promise<number[]> {
  const rows = await db
    .selectFrom('error_tracking_errors')
    .select('id')
    .where('project_id', '=', project)
    .limit(100)
    .execute();
  return rows.map(({ id }) => id);
}

/** Deletes errors with all their data. Returns the number of deleted events by batch. */
export async function deleteErrors(trx: Writer, ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const removed = await trx
    .deleteFrom('error_tracking_events')
    .where('error_id', 'in', [...ids])
    .returning(['batch_id', 'error_id'])
    .execute();
  await trx
    .deleteFrom('error_tracking_errors')
    .where('id', 'in', [...ids])
    .execute();
  return countRemoved(removed).batches;
}
