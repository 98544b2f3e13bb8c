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

interface TimeChange {
  readonly columns: Partial<IssueRow>;
  readonly note?: string | undefined;
}

/** What is to be done with the times of an issue: it is given the issue as it stands, locked. */
export type ChangeOfTimes = (trx: Writer, issue: IssueRow, userId: number) => Promise<TimeChange>;

/** Changes the times of an issue, in a transaction of the caller's. */
export async function changeTimes(
  trx: Writer,
  issueId: number,
  userId: number,
  change: ChangeOfTimes,
): Promise<IssueRow> {
  const locked = await lockRow(trx, 'issues', issueId);
  if (!locked) throw NotFound.record();
  const { columns, note } = await change(trx, locked, userId);
  const after = await updateIssue(trx, issueId, { ...columns, updated_at: Date.now() });
  if (note !== undefined) await recordNotes(trx, after, userId, [note]);
  return after;
}

export function estimating(time_estimate: number): ChangeOfTimes {
  return async (_trx, issue) => {
    if (time_estimate === issue.time_estimate) return { columns: {} };
    return { columns: { time_estimate }, note: systemTexts.estimateChanged(issue.time_estimate, time_estimate) };
  };
}

export function spending(
  secondsOf: (total: number) => number,
  { summary, at = Date.now() }: { readonly summary?: string | undefined; readonly at?: number } = {},
): ChangeOfTimes {
  return async (trx, issue, userId) => {
    const seconds = secondsOf(issue.total_time_spent);
    await logTime(trx, targetOf(issue), userId, { seconds, summary, at });
    const total_time_spent = issue.total_time_spent + seconds;
    return { columns: { total_time_spent }, note: systemTexts.timeSpent(seconds, at) };
  };
}

export const forgetting: ChangeOfTimes = async (trx, issue) => {
  await forgetTime(trx, targetOf(issue));
  const note = issue.total_time_spent === 0 ? undefined : systemTexts.timeSpentRemoved;
  return { columns: { total_time_spent: 0 }, note };
};

/** For those who plan, even where the issue is somebody's own. */
async function changeAsPlanner(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
  change: ChangeOfTimes,
): Promise<TimeStatsEntity> {
  const { issue } = await readableIssue(services, caller, subject, iid);
  if (!subject.can('admin_issue')) throw new Forbidden();
  return presentTimeStats(await services.db.write((trx) => changeTimes(trx, issue.id, caller.user.id, change)));
}

export async function setEstimate(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
  duration: string,
): Promise<TimeStatsEntity> {
  return changeAsPlanner(services, caller, subject, iid, (...given) => estimating(readEstimate(duration))(...given));
}

export function addSpentTime(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
  { duration, summary }: { readonly duration: string; readonly summary?: string },
): Promise<TimeStatsEntity> {
  const spent = spending((total) => readSpent(duration, total, summary), { summary });
  return changeAsPlanner(services, caller, subject, iid, spent);
}

export function resetSpentTime(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
): Promise<TimeStatsEntity> {
  return changeAsPlanner(services, caller, subject, iid, forgetting);
}
