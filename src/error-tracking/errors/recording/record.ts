import type { Services } from '../../../access/services.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { fault } from '../../../platform/faults.ts';
import { RunAgain } from '../../../platform/queue/queue.ts';
import { markFailed, markRecorded, pendingBatches, waitingBatches } from '../../events/public.ts';
import { findTracked } from '../../settings/public.ts';
import { isCausedByEvents } from './cause.ts';
import { type ErrorDelta, type IncomingEvent, mergeByError, mergeOverflow, withoutRepeats } from './merge.ts';
import * as store from './store.ts';

const hour = 60 * 60 * 1000;
/** Maximum number of events recorded per transaction, so that other writers are not blocked for long. */
const eventsPerTransaction = 500;
const maxRounds = 200;
const maxNewErrors = 1000;

/** Records all received events in batches. */
export async function recordEvents(services: Services, signal: AbortSignal): Promise<void> {
  const { db } = services;
  for (let round = 0; round < maxRounds; round += 1) {
    signal.throwIfAborted();
    const ids = await waitingBatches(db.read, eventsPerTransaction);
    if (ids.length === 0) return;
    try {
      await db.write((trx) => recordBatches(trx, ids));
    } catch (error) {
      if (!isCausedByEvents(error)) throw error;
      await recordOneByOne(services, ids, signal);
    }
    fault('error-tracking.recorded');
  }
  // Restart the job: during a flood of events it would otherwise exceed its timeout.
  throw new RunAgain(0);
}

/** Records each batch in a transaction of its own. What fails is left to a job of its own. */
async function recordOneByOne(
  { db, queue, log }: Services,
  ids: readonly number[],
  signal: AbortSignal,
): Promise<void> {
  for (const batchId of ids) {
    signal.throwIfAborted();
    try {
      await db.write((trx) => recordBatches(trx, [batchId]));
    } catch (error) {
      if (!isCausedByEvents(error)) throw error;
      await db.write(async (trx) => {
        await markFailed(trx, batchId);
        await queue.enqueue(trx, 'error-tracking.record-failed', { batchId }, { dedupeKey: String(batchId) });
      });
      log.warn({ err: error, batch: batchId }, 'a batch of events cannot be recorded; its events are tried one by one');
      fault('error-tracking.failed');
    }
  }
}

async function recordBatches(trx: Writer, ids: readonly number[]): Promise<void> {
  await store.lockRecording(trx);
  const batches = await pendingBatches(trx, ids);
  const projects = Map.groupBy(batches, ({ projectId }) => projectId);
  // Events of projects deleted meanwhile are dropped.
  const tracked = await findTracked(trx, [...projects.keys()]);
  const kept = new Map<number, number>();
  for (const [projectId, own] of projects) {
    if (!tracked.has(projectId)) continue;
    const arrived = own.flatMap(({ id, summaries }) => summaries.map((summary) => ({ ...summary, batchId: id })));
    for (const { batchId } of await recordProject(trx, projectId, arrived)) {
      kept.set(batchId, (kept.get(batchId) ?? 0) + 1);
    }
  }
  for (const { id } of batches) await markRecorded(trx, id, kept.get(id) ?? 0);
}

/** Records the events of one project. Returns the new ones. */
export async function recordProject(
  trx: Writer,
  projectId: number,
  arrived: readonly IncomingEvent[],
): Promise<IncomingEvent[]> {
  const ids = arrived.map(({ event_id }) => event_id);
  const events = withoutRepeats(arrived, await store.knownEvents(trx, projectId, ids));
  if (events.length === 0) return events;
  const now = Date.now();
  const { deltas, known } = await withinLimit(trx, projectId, mergeByError(projectId, events), now);
  const errors = await store.addToErrors(trx, await withNewUsers(trx, deltas, known), now);
  await store.addDetails(trx, errors);
  return events;
}

/** Limits the number of new errors per hour in a project; the rest are merged into the overflow error. */
async function withinLimit(trx: Writer, projectId: number, deltas: readonly ErrorDelta[], now: number) {
  const prints = deltas.map(({ fingerprint }) => fingerprint);
  const known = await store.knownErrors(trx, projectId, prints);
  const fresh = deltas.filter(({ fingerprint }) => !known.has(fingerprint));
  if (fresh.length === 0) return { deltas, known };
  const recent = await store.countNewErrors(trx, projectId, now - hour, maxNewErrors);
  const over = new Set(fresh.slice(Math.max(0, maxNewErrors - recent)));
  if (over.size === 0) return { deltas, known };
  const rest = mergeOverflow(projectId, [...over]);
  const knownRest = await store.knownErrors(
    trx,
    projectId,
    rest.map(({ fingerprint }) => fingerprint),
  );
  return { deltas: [...deltas.filter((delta) => !over.has(delta)), ...rest], known: new Map([...known, ...knownRest]) };
}

/** Adds the number of newly affected users to each error. */
async function withNewUsers(trx: Writer, deltas: readonly ErrorDelta[], known: ReadonlyMap<string, number>) {
  const identities = [...new Set(deltas.flatMap((delta) => [...delta.identities.keys()]))];
  const users = await store.knownUsers(trx, [...known.values()], identities);
  return deltas.map((delta) => {
    const id = known.get(delta.fingerprint);
    const isNew = (identity: string) => id === undefined || !users.has(`${id} ${identity}`);
    return Object.assign(delta, { newUsers: [...delta.identities.keys()].filter(isNew).length });
  });
}
