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

type TimeChange = (
  trx: Writer,
  request: MergeRequestRow,
  userId: number,
) => Promise<{ columns: Partial<MergeRequestRow>; note?: string | undefined }>;

export const estimating =
  (seconds: number): TimeChange =>
  async (_trx, request) => {
    if (seconds === request.time_estimate) return { columns: {} };
    const note = systemTexts.estimateChanged(request.time_estimate, seconds);
    return { columns: { time_estimate: seconds }, note };
  };

/** So much time as `read` makes of what was spent before. */
export const spending =
  (read: (total: number) => number, { summary, at = Date.now() }: { summary?: string; at?: number } = {}): TimeChange =>
  async (trx, request, userId) => {
    const seconds = read(request.total_time_spent);
    await logTime(trx, targetOf(request), userId, { seconds, summary, at });
    const total_time_spent = request.total_time_spent + seconds;
    return { columns: { total_time_spent }, note: systemTexts.timeSpent(seconds, at) };
  };

export const forgetting: TimeChange = async (trx, request) => {
  await forgetTime(trx, targetOf(request));
  const note = request.total_time_spent === 0 ? undefined : systemTexts.timeSpentRemoved;
  return { columns: { total_time_spent: 0 }, note };
};

/** Changes the times of a merge request in a transaction under way. */
export async function changeTimes(
  trx: Writer,
  id: number,
  userId: number,
  change: TimeChange,
): Promise<MergeRequestRow> {
  const locked = await lockRow(trx, 'merge_requests', id);
  if (!locked) throw NotFound.record();
  const { columns, note } = await change(trx, locked, userId);
  const after = await updateRequest(trx, id, { ...columns, updated_at: Date.now() });
  if (note !== undefined) await recordNotes(trx, after, userId, [note]);
  return after;
}

/** The same as a request of its own: for developers, even where it is somebody's own. */
async function changeTimesOf(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
  change: TimeChange,
): Promise<TimeStatsEntity> {
  const { request } = await requireRequest(services, subject, iid);
  if (!subject.can('admin_merge_request')) throw new Forbidden();
  return presentTimeStats(await services.db.write((trx) => changeTimes(trx, request.id, caller.user.id, change)));
}

export function setEstimate(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
  duration: string,
): Promise<TimeStatsEntity> {
  return changeTimesOf(services, caller, subject, iid, (trx, request, userId) =>
    estimating(readEstimate(duration))(trx, request, userId),
  );
}

export function addSpentTime(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
  { duration, summary }: { readonly duration: string; readonly summary?: string },
): Promise<TimeStatsEntity> {
  const read = (total: number) => readSpent(duration, total, summary);
  return changeTimesOf(services, caller, subject, iid, spending(read, summary === undefined ? {} : { summary }));
}

export function resetSpentTime(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
): Promise<TimeStatsEntity> {
  return changeTimesOf(services, caller, subject, iid, forgetting);
}
