import type { Actor, SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { Forbidden, NotFound } from '../../../platform/http/errors.ts';
import { systemTexts } from '../../notes/public.ts';
import {
  type ChangeOfTimes,
  estimating,
  forgetting,
  presentTimeStats,
  readEstimate,
  readSpent,
  spending,
  type TimeStatsEntity,
} from '../../time-tracking/public.ts';
import { recordNotes, targetOf } from '../changes/records.ts';
import { readableIssue, stateOf } from '../service.ts';
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

/** Changes the times of an issue, in a transaction of the caller's. */
export async function changeTimes(
  services: Services,
  trx: Writer,
  id: number,
  userId: number,
  change: ChangeOfTimes,
): Promise<IssueRow> {
  const locked = await lockRow(trx, 'issues', id);
  if (!locked) throw NotFound.record();
  const { columns, event } = await change(trx, locked, targetOf(locked), userId);
  const issue = await updateIssue(trx, id, { ...columns, updated_at: Date.now() });
  if (!event) return issue;
  await recordNotes(trx, issue, userId, [systemTexts.timesChanged(event)]);
  const before = await stateOf(trx, locked);
  const after = { ...before, issue };
  await services.announce(trx, 'issue.changed', { action: 'update', actorId: userId, before, after });
  return issue;
}

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
  return presentTimeStats(
    await services.db.write((trx) => changeTimes(services, trx, issue.id, caller.user.id, change)),
  );
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
