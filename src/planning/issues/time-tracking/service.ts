import type { Actor, SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { Forbidden, NotFound } from '../../../platform/http/errors.ts';
import { systemTexts } from '../../notes/public.ts';
import {
  forgetTime,
  logTime,
  presentTimeStats,
  readEstimate,
  readSpent,
  type TimeStatsEntity,
} from '../../time-tracking/public.ts';
import { recordNotes, targetOf } from '../records.ts';
import { readableIssue } from '../service.ts';
import { updateIssue } from '../store.ts';
import type { IssueRow } from '../tables.ts';

export async function timeStats(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  iid: number,
): Promise<TimeStatsEntity> {
  return presentTimeStats((await readableIssue(services, caller, subject, iid)).issue);
}

/** Changes the times of an issue: for those who plan, even where it is somebody's own. */
async function changeTimes(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
  change: (trx: Writer, issue: IssueRow) => Promise<{ columns: Partial<IssueRow>; note?: string | undefined }>,
): Promise<TimeStatsEntity> {
  const { issue } = await readableIssue(services, caller, subject, iid);
  if (!subject.can('admin_issue')) throw new Forbidden();
  const changed = await services.db.write(async (trx) => {
    const locked = await lockRow(trx, 'issues', issue.id);
    if (!locked) throw NotFound.record();
    const { columns, note } = await change(trx, locked);
    const after = await updateIssue(trx, issue.id, { ...columns, updated_at: Date.now() });
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
  return changeTimes(services, caller, subject, iid, async (_trx, issue) => {
    const time_estimate = readEstimate(duration);
    if (time_estimate === issue.time_estimate) return { columns: {} };
    return { columns: { time_estimate }, note: systemTexts.estimateChanged(issue.time_estimate, time_estimate) };
  });
}

export function addSpentTime(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
  { duration, summary }: { readonly duration: string; readonly summary?: string },
): Promise<TimeStatsEntity> {
  return changeTimes(services, caller, subject, iid, async (trx, issue) => {
    const seconds = readSpent(duration, issue.total_time_spent, summary);
    const at = Date.now();
    await logTime(trx, targetOf(issue), caller.user.id, { seconds, summary, at });
    const total_time_spent = issue.total_time_spent + seconds;
    return { columns: { total_time_spent }, note: systemTexts.timeSpent(seconds, at) };
  });
}

export function resetSpentTime(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
): Promise<TimeStatsEntity> {
  return changeTimes(services, caller, subject, iid, async (trx, issue) => {
    await forgetTime(trx, targetOf(issue));
    const note = issue.total_time_spent === 0 ? undefined : systemTexts.timeSpentRemoved;
    return { columns: { total_time_spent: 0 }, note };
  });
}
