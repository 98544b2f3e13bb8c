import type { Actor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { Forbidden } from '../../../platform/http/errors.ts';
import { systemTexts } from '../../notes/public.ts';
import { presentTimeStats, type TimeStatsEntity, timeOperations, timesChanger } from '../../time-tracking/public.ts';
import { mayPlan } from '../access.ts';
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
  return presentTimeStats(services, (await readableIssue(services, caller, subject, iid)).issue);
}

/** Changes the estimate or time spent of an issue within the caller's transaction. */
export const changeTimes = timesChanger<IssueRow>({
  lock: (trx, id) => lockRow(trx, 'issues', id),
  targetOf,
  update: updateIssue,
  recordChange: async (services, trx, actorId, locked, issue, event) => {
    await recordNotes(trx, issue, actorId, [systemTexts.timesChanged(services, event)]);
    const before = await stateOf(trx, locked);
    await services.announce(trx, 'issue.changed', { action: 'update', actorId, before, after: { ...before, issue } });
  },
});

/** Requires planning permission; being the author or an assignee does not suffice. */
export const { setEstimate, addSpentTime, resetSpentTime } = timeOperations(async (services, caller, subject, iid) => {
  const { issue } = await readableIssue(services, caller, subject, iid);
  if (!mayPlan(subject, issue)) throw new Forbidden();
  return issue.id;
}, changeTimes);
