import type { Reader, Writer } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import { type StoredSummary, storedEvents, storedSummaries } from './summary.ts';
import type { BatchRow } from './tables.ts';

/** A batch whose file has been written. */
export interface WrittenBatch {
  readonly projectId: number;
  readonly key: string;
  readonly size: number;
  readonly receivedAt: number;
  readonly summaries: readonly StoredSummary[];
}

/** Inserts batches whose events have not been recorded yet. */
export async function insertBatches(trx: Writer, batches: readonly WrittenBatch[]): Promise<void> {
  for (const { projectId, key, size, receivedAt, summaries } of batches) {
    await insertBatch.run(trx, {
      project: projectId,
      key,
      size,
      events: summaries.length,
      pending: JSON.stringify(summaries),
      received: receivedAt,
    });
  }
}

interface NewBatch {
  project: number;
  key: string;
  size: number;
  events: number;
  pending: string;
  received: number;
}

const insertBatch = statement((db, param: Param<NewBatch>) =>
  db.insertInto('error_tracking_batches').values({
    project_id: param('project'),
    storage_key: param('key'),
    size: param('size'),
    events: param('events'),
    pending: param('pending'),
    received_at: param('received'),
  }),
);

const waiting = statement((db, param: Param<{ limit: number }>) =>
  db
    .selectFrom('error_tracking_batches')
    .select(['id', 'events'])
    .where('pending', 'is not', null)
    .orderBy('id')
    .limit(param('limit')),
);

/** Returns the oldest unrecorded batches, with about the given number of events in total. */
export async function waitingBatches(db: Reader, maxEvents: number): Promise<number[]> {
  const rows = await waiting.all(db, { limit: maxEvents });
  let sum = 0;
  return rows
    .filter(({ events }, index) => {
      sum += events;
      return index === 0 || sum <= maxEvents;
    })
    .map(({ id }) => id);
}

const pendingOf = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('error_tracking_batches')
    .select(['id', 'project_id', 'pending'])
    .where('id', 'in', param.ids('ids'))
    .where('pending', 'is not', null)
    .orderBy('id'),
);

export interface PendingBatch {
  readonly id: number;
  readonly projectId: number;
  readonly summaries: readonly StoredSummary[];
}

/** Returns the unrecorded events of these batches. */
export async function pendingBatches(trx: Writer, ids: readonly number[]): Promise<PendingBatch[]> {
  const rows = await pendingOf.all(trx, { ids });
  return rows.map(({ id, project_id, pending }) => ({
    id,
    projectId: project_id,
    summaries: pending === null ? [] : storedSummaries(pending),
  }));
}

const recorded = statement((db, param: Param<{ id: number; events: number }>) =>
  db
    .updateTable('error_tracking_batches')
    .set({ pending: null, events: param('events') })
    .where('id', '=', param('id')),
);

/** Marks a batch as recorded and sets the number of its stored events. */
export async function markRecorded(trx: Writer, id: number, events: number): Promise<void> {
  await recorded.run(trx, { id, events });
}

/** Keeps the unrecorded events of a batch apart, where they wait for nothing else and nothing else for them. */
export async function markFailed(trx: Writer, id: number): Promise<void> {
  await trx
    .updateTable('error_tracking_batches')
    .set((eb) => ({ failed: eb.ref('pending'), pending: null }))
    .where('id', '=', id)
    .where('pending', 'is not', null)
    .execute();
}

/** Returns the failed events of a batch, each as JSON; undefined if there are none, or the batch is gone. */
export async function failedEvents(
  db: Reader,
  id: number,
): Promise<{ readonly projectId: number; readonly events: string[] } | undefined> {
  const row = await db
    .selectFrom('error_tracking_batches')
    .select(['project_id', 'failed'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row || row.failed === null) return undefined;
  return { projectId: row.project_id, events: storedEvents(row.failed).map((event) => JSON.stringify(event)) };
}

/** Marks failed events as recorded: sets those that remain, and subtracts those that are not stored. */
export async function markFailedRecorded(
  trx: Writer,
  id: number,
  { remaining, dropped }: { readonly remaining: readonly string[]; readonly dropped: number },
): Promise<void> {
  await trx
    .updateTable('error_tracking_batches')
    .set((eb) => ({
      failed: remaining.length === 0 ? null : `[${remaining.join(',')}]`,
      events: eb('events', '-', dropped),
    }))
    .where('id', '=', id)
    .execute();
}

/** Counts an attempt at the failed events of a batch. Returns the number of attempts; undefined if the batch is gone. */
export async function countFailure(trx: Writer, id: number): Promise<number | undefined> {
  const row = await trx
    .updateTable('error_tracking_batches')
    .set((eb) => ({ failures: eb('failures', '+', 1) }))
    .where('id', '=', id)
    .returning('failures')
    .executeTakeFirst();
  return row?.failures;
}

const released = statement((db, param: Param<{ id: number; events: number }>) =>
  db
    .updateTable('error_tracking_batches')
    .set((eb) => ({ events: eb('events', '-', param('events')) }))
    .where('id', '=', param('id')),
);

/** Decrements the number of stored events of batches. */
export async function releaseEvents(trx: Writer, counts: ReadonlyMap<number, number>): Promise<void> {
  // Sorted by ID, to avoid deadlocks between concurrent calls.
  for (const [id, events] of [...counts].sort(([a], [b]) => a - b)) await released.run(trx, { id, events });
}

const keys = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db.selectFrom('error_tracking_batches').select(['id', 'storage_key']).where('id', 'in', param.ids('ids')),
);

/** Returns the storage keys of batches by ID. */
export async function keysOf(db: Reader, ids: readonly number[]): Promise<Map<number, string>> {
  return new Map((await keys.all(db, { ids })).map(({ id, storage_key }) => [id, storage_key]));
}

type Removable = Pick<BatchRow, 'id' | 'storage_key'>;

/** Lists batches without stored events. */
export function emptyBatches(db: Reader, limit: number): Promise<Removable[]> {
  return db
    .selectFrom('error_tracking_batches')
    .select(['id', 'storage_key'])
    .where('events', '=', 0)
    .where('pending', 'is', null)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Lists batches received before a time. */
export function pastBatches(db: Reader, before: number, limit: number): Promise<Removable[]> {
  return db
    .selectFrom('error_tracking_batches')
    .select(['id', 'storage_key'])
    .where('received_at', '<', before)
    .orderBy('received_at')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Lists batches of a project. */
export function batchesOf(db: Reader, projectId: number, limit: number): Promise<Removable[]> {
  return db
    .selectFrom('error_tracking_batches')
    .select(['id', 'storage_key'])
    .where('project_id', '=', projectId)
    .orderBy('id')
    .limit(limit)
    .execute();
}

export async function deleteBatches(trx: Writer, ids: readonly number[]): Promise<void> {
  if (ids.length > 0)
    await trx
      .deleteFrom('error_tracking_batches')
      .where('id', 'in', [...ids])
      .execute();
}
