import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { systemTexts } from '../../../planning/notes/public.ts';
import {
  presentTimeStats,
  type TimeStatsEntity,
  timeOperations,
  timesChanger,
} from '../../../planning/time-tracking/public.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { Forbidden } from '../../../platform/http/errors.ts';
import { recordNotes, requestTarget } from '../changes/records.ts';
import { requireRequest, stateOf } from '../service.ts';
import { updateRequest } from '../store.ts';
import type { MergeRequestRow } from '../tables.ts';

export async function timeStats(services: Services, subject: ProjectSubject, iid: number): Promise<TimeStatsEntity> {
  return presentTimeStats(services, (await requireRequest(services, subject, iid)).request);
}

/** Changes the estimate or time spent of a merge request within the caller's transaction. */
export const changeTimes = timesChanger<MergeRequestRow>({
  lock: (trx, id) => lockRow(trx, 'merge_requests', id),
  targetOf: requestTarget,
  update: updateRequest,
  recordChange: async (services, trx, actorId, locked, request, event) => {
    await recordNotes(trx, request, actorId, [systemTexts.timesChanged(services, event)]);
    const before = await stateOf(trx, locked);
    const after = { ...before, request };
    await services.announce(trx, 'merge-request.changed', { action: 'update', actorId, before, after });
  },
});

/** Requires the developer role; being the author or an assignee does not suffice. */
export const { setEstimate, addSpentTime, resetSpentTime } = timeOperations(async (services, _caller, subject, iid) => {
  const { request } = await requireRequest(services, subject, iid);
  if (!subject.can('admin_merge_request')) throw new Forbidden();
  return request.id;
}, changeTimes);
