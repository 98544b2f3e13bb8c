import type { Services } from '../../../access/services.ts';
import { batchesOf, pastBatches, releaseEvents, removeBatches, sweepBatches } from '../../events/public.ts';
import { day, hour, periodStart } from '../frequency.ts';
import * as store from './store.ts';
import { thinOut } from './thinning.ts';

const dayMs = day * 1000;
/** Maximum retention time of all data. */
const retention = 90 * dayMs;
/** Hourly counts are only shown for one day. */
const hoursKept = 2 * dayMs;

/** Thins out the events of errors with many events, and deletes batches that are no longer needed. */
export async function thinEvents(services: Services, signal: AbortSignal): Promise<void> {
  for (let last = 0; ; ) {
    const errors = await store.fullErrors(services.db.read, last);
    for (const error of errors) {
      await thinError(services, error, signal);
      last = error;
    }
    if (errors.length === 0) break;
  }
  await sweepBatches(services, signal);
}

async function thinError({ db }: Services, error: number, signal: AbortSignal): Promise<void> {
  const now = Date.now();
  let lastDay: number | undefined;
  for (let after: store.EventPosition | undefined; ; ) {
    signal.throwIfAborted();
    const events = await store.olderEvents(db.read, error, after);
    const thinned = thinOut(events, now, lastDay);
    lastDay = thinned.lastDay;
    await db.write(async (trx) => {
      const ids = thinned.deletable.map(({ id }) => id);
      const { batches, errors } = await store.deleteEvents(trx, ids);
      await releaseEvents(trx, batches);
      await store.decrementErrors(trx, 'kept_events', errors);
    });
    after = events.at(-1);
    if (!after) return;
  }
}

/** Deletes data older than the retention time. The totals of an error are kept as long as the error itself. */
export async function purge(services: Services, signal: AbortSignal, now = Date.now()): Promise<void> {
  const { db } = services;
  const before = now - retention;
  await removeBatches(
    services,
    () => pastBatches(services, before),
    signal,
    async (trx, ids) => {
      const { errors } = await store.deleteEventsIn(trx, ids);
      await store.decrementErrors(trx, 'kept_events', errors);
    },
  );
  await inParts(signal, () => db.write((trx) => store.deletePastCounts(trx, hour, periodStart(hour, now - hoursKept))));
  await inParts(signal, () => db.write((trx) => store.deletePastCounts(trx, day, periodStart(day, before))));
  await inParts(signal, () => db.write((trx) => store.deletePastValues(trx, before)));
  await inParts(signal, () =>
    db.write(async (trx) => {
      const counts = await store.deletePastUsers(trx, before);
      await store.decrementErrors(trx, 'user_count', counts);
      return counts.size;
    }),
  );
  await removeErrors(services, () => store.pastErrors(db.read, before), signal);
  await sweepBatches(services, signal);
}

/** Deletes all data of a deleted project. */
export async function clearProject(services: Services, projectId: number, signal: AbortSignal): Promise<void> {
  const { db } = services;
  await removeErrors(services, () => store.errorsOf(db.read, projectId), signal);
  await removeBatches(services, () => batchesOf(services, projectId), signal);
}

async function removeErrors({ db }: Services, find: () => Promise<number[]>, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const ids = await find();
    if (ids.length === 0) return;
    await db.write(async (trx) => releaseEvents(trx, await store.deleteErrors(trx, ids)));
  }
}

/** Repeats the work until nothing is left, so that other writers can proceed in between. */
async function inParts(signal: AbortSignal, work: () => Promise<number>): Promise<void> {
  do signal.throwIfAborted();
  while ((await work()) > 0);
}
