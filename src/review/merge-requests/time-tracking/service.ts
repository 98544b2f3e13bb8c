import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { systemTexts } from '../../../planning/notes/public.ts';
import {
  type ChangeOfTimes,
  estimating,
  forgetting,
  presentTimeStats,
  readEstimate,
  readSpent,
  spending,
  type TimeStatsEntity,
} from '../../../planning/time-tracking/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { Forbidden, NotFound } from '../../../platform/http/errors.ts';
import { recordNotes, targetOf } from '../changes/records.ts';
import { requireRequest, stateOf } from '../service.ts';
import { updateRequest } from '../store.ts';
import type { MergeRequestRow } from '../tables.ts';

export async function timeStats(services: Services, subject: ProjectSubject, iid: number): Promise<TimeStatsEntity> {
  return presentTimeStats((await requireRequest(services, subject, iid)).request);
}

/** Changes the times of a merge request, in a transaction of the caller's. */
export async function changeTimes(
  services: Services,
  trx: Writer,
  id: number,
  userId: number,
  change: ChangeOfTimes,
): Promise<MergeRequestRow> {
  const locked = await lockRow(trx, 'merge_requests', id);
  if (!locked) throw NotFound.record();
  const { columns, event } = await change(trx, locked, targetOf(locked), userId);
  const request = await updateRequest(trx, id, { ...columns, updated_at: Date.now() });
  if (!event) return request;
  await recordNotes(trx, request, userId, [systemTexts.timesChanged(event)]);
  const before = await stateOf(trx, locked);
  const after = { ...before, request };
  await services.announce(trx, 'merge-request.changed', { action: 'update', actorId: userId, before, after });
  return request;
}

/** The same as a request of its own: for developers, even where it is somebody's own. */
async function changeTimesOf(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
  change: ChangeOfTimes,
): Promise<TimeStatsEntity> {
  const { request } = await requireRequest(services, subject, iid);
  if (!subject.can('admin_merge_request')) throw new Forbidden();
  return presentTimeStats(
    await services.db.write((trx) => changeTimes(services, trx, request.id, caller.user.id, change)),
  );
}

export function setEstimate(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
  duration: string,
): Promise<TimeStatsEntity> {
  return changeTimesOf(services, caller, subject, iid, (...given) => estimating(readEstimate(duration))(...given));
}

export function addSpentTime(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
  { duration, summary }: { readonly duration: string; readonly summary?: string },
): Promise<TimeStatsEntity> {
  const read = (total: number) => readSpent(duration, total, summary);
  return changeTimesOf(services, caller, subject, iid, spending(read, { summary }));
}

export function resetSpentTime(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
): Promise<TimeStatsEntity> {
  return changeTimesOf(services, caller, subject, iid, forgetting);
}
