import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { systemTexts } from '../../../planning/notes/public.ts';
import {
  forgetTime,
  logTime,
  presentTimeStats,
  readEstimate,
  readSpent,
  type TimeStatsEntity,
} from '../../../planning/time-tracking/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { Forbidden, NotFound } from '../../../platform/http/errors.ts';
import { recordNotes, targetOf } from '../records.ts';
import { requireRequest } from '../service.ts';
import { updateRequest } from '../store.ts';
import type { MergeRequestRow } from '../tables.ts';

export async function timeStats(services: Services, subject: ProjectSubject, iid: number): Promise<TimeStatsEntity> {
  return presentTimeStats((await requireRequest(services, subject, iid)).request);
}

/** Changes the times of a merge request: for developers, even where it is somebody's own. */
async function changeTimes(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
  change: (
    trx: Writer,
    request: MergeRequestRow,
  ) => Promise<{ columns: Partial<MergeRequestRow>; note?: string | undefined }>,
): Promise<TimeStatsEntity> {
  const { request } = await requireRequest(services, subject, iid);
  if (!subject.can('admin_merge_request')) throw new Forbidden();
  const changed = await services.db.write(async (trx) => {
    const locked = await lockRow(trx, 'merge_requests', request.id);
    if (!locked) throw NotFound.record();
    const { columns, note } = await change(trx, locked);
    const after = await updateRequest(trx, request.id, { ...columns, updated_at: Date.now() });
    if (note !== undefined) await recordNotes(trx, after, caller.user.id, [note]);
    return after;
  });
  return presentTimeStats(changed);
}

export function setEstimate(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
  duration: string,
): Promise<TimeStatsEntity> {
  return changeTimes(services, caller, subject, iid, async (_trx, request) => {
    const time_estimate = readEstimate(duration);
    if (time_estimate === request.time_estimate) return { columns: {} };
    return { columns: { time_estimate }, note: systemTexts.estimateChanged(request.time_estimate, time_estimate) };
  });
}

export function addSpentTime(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
  { duration, summary }: { readonly duration: string; readonly summary?: string },
): Promise<TimeStatsEntity> {
  return changeTimes(services, caller, subject, iid, async (trx, request) => {
    const seconds = readSpent(duration, request.total_time_spent, summary);
    const at = Date.now();
    await logTime(trx, targetOf(request), caller.user.id, { seconds, summary, at });
    const total_time_spent = request.total_time_spent + seconds;
    return { columns: { total_time_spent }, note: systemTexts.timeSpent(seconds, at) };
  });
}

export function resetSpentTime(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
): Promise<TimeStatsEntity> {
  return changeTimes(services, caller, subject, iid, async (trx, request) => {
    await forgetTime(trx, targetOf(request));
    const note = request.total_time_spent === 0 ? undefined : systemTexts.timeSpentRemoved;
    return { columns: { total_time_spent: 0 }, note };
  });
}
