import type { Services } from '../../../access/services.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { fault } from '../../../platform/faults.ts';
import { backoffMs } from '../../../platform/queue/backoff.ts';
import { GiveUp, RunAgain } from '../../../platform/queue/queue.ts';
import { countFailure, failedEvents, markFailedRecorded, readSummaries } from '../../events/public.ts';
import { findTracked } from '../../settings/public.ts';
import { isCausedByEvents } from './cause.ts';
import { recordProject } from './record.ts';
import * as store from './store.ts';

/** After this many attempts, over some 20 minutes, the events are left to the administrator. */
const maxFailures = 10;

/**
 * Records those events of a failed batch that can be recorded, and tries the others again later. What still fails at
 * the end stays in the batch, and the job with the cause among the failed ones, where it can be run again.
 */
export async function recordFailedEvents(services: Services, batchId: number, signal: AbortSignal): Promise<void> {
  const { db, log } = services;
  const cause = await tryAll(services, batchId, signal);
  if (cause === undefined) return;
  const failures = await db.write((trx) => countFailure(trx, batchId));
  if (failures === undefined) return;
  log.warn({ err: cause, batch: batchId, attempt: failures }, 'events cannot be recorded');
  if (failures < maxFailures) throw new RunAgain(backoffMs(failures));
  const reason = cause instanceof Error ? cause.message : String(cause);
  throw new GiveUp(`Events of batch ${batchId} cannot be recorded: ${reason}`);
}

/** Returns why events remain; undefined if none do. */
async function tryAll(services: Services, batchId: number, signal: AbortSignal): Promise<unknown> {
  try {
    const found = await failedEvents(services.db.read, batchId);
    return found && (await tryPart(services, batchId, found.events, signal));
  } catch (error) {
    if (signal.aborted || !isCausedByEvents(error)) throw error;
    return error;
  }
}

/** Halves what fails, until only events that fail on their own remain. */
async function tryPart(
  services: Services,
  batchId: number,
  events: readonly string[],
  signal: AbortSignal,
): Promise<unknown> {
  signal.throwIfAborted();
  try {
    await services.db.write((trx) => recordPart(trx, batchId, events));
    fault('error-tracking.part-recorded');
    return undefined;
  } catch (error) {
    if (!isCausedByEvents(error)) throw error;
    if (events.length <= 1) return error;
  }
  const middle = Math.ceil(events.length / 2);
  const first = await tryPart(services, batchId, events.slice(0, middle), signal);
  const second = await tryPart(services, batchId, events.slice(middle), signal);
  return first ?? second;
}

async function recordPart(trx: Writer, batchId: number, part: readonly string[]): Promise<void> {
  await store.lockRecording(trx);
  // Read again under the lock: a worker that lost its lease may still be at it.
  const found = await failedEvents(trx, batchId);
  if (!found) return;
  const { projectId, events } = found;
  const own = new Set(part);
  const summaries = readSummaries(events.filter((event) => own.has(event)));
  const tracked = await findTracked(trx, [projectId]);
  const kept = tracked.has(projectId)
    ? await recordProject(
        trx,
        projectId,
        summaries.map((summary) => ({ ...summary, batchId })),
      )
    : [];
  const remaining = events.filter((event) => !own.has(event));
  await markFailedRecorded(trx, batchId, { remaining, dropped: summaries.length - kept.length });
}
