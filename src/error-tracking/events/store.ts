import type { Reader, Writer } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import { type StoredSummary, storedSummaries } from './summary.ts';
import type { BatchRow } from './tables.ts';

/** A batch whose file has been written. */
export interface WrittenBatch {
  readonly projectId: number;
  readonly key: string;
  readonly size: number;
  readonly receivedAt: number;
  readonly summaries: readonly StoredSummary[];
}

/** Notes batches whose events have yet to be counted. */
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

/** The oldest batches that have yet to be counted, of about so many events together. */
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

/** What has yet to be counted of these batches. */
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

/** Notes that a batch has been counted, and how many of its events are kept. */
export async function markRecorded(trx: Writer, id: number, events: number): Promise<void> {
  await recorded.run(trx, { id, events });
}

const released = statement((db, param: Param<{ id: number; events: number }>) =>
  db
    .updateTable('error_tracking_batches')
    .set((eb) => ({ events: eb('events', '-', param('events')) }))
    .where('id', '=', param('id')),
);

/** Notes that so many events of each batch are wanted no longer. */
export async function releaseEvents(trx: Writer, counts: ReadonlyMap<number, number>): Promise<void> {
  // In one order for all: two that release at once would otherwise wait for each other.
  for (const [id, events] of [...counts].sort(([a], [b]) => a - b)) await released.run(trx, { id, events });
}

const keys = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db.selectFrom('error_tracking_batches').select(['id', 'storage_key']).where('id', 'in', param.ids('ids')),
);

/** The storage keys of batches, by number. */
export async function keysOf(db: Reader, ids: readonly number[]): Promise<Map<number, string>> {
  return new Map((await keys.all(db, { ids })).map(({ id, storage_key }) => [id, storage_key]));
}

type Removable = Pick<BatchRow, 'id' | 'storage_key'>;

/** Some batches of which nothing is wanted any more. */
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

/** Some batches that came in before an instant. */
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

/** Some batches of a project. */
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
