import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import { requestScope } from './browse.ts';
import { requestList } from './list.ts';

/** Number of open merge requests assigned to the caller or requested for review. */
export async function countPendingRequests({ db }: Services, caller: SignedInActor) {
  const scope = requestScope(caller, null);
  const { id } = caller.user;
  const count = (asked: { readonly assignee_id: number } | { readonly reviewer_id: number }) =>
    requestList.count(db.read, scope, { ...asked, state: 'opened' }, 'limit');
  const [assigned, reviewing] = await Promise.all([count({ assignee_id: id }), count({ reviewer_id: id })]);
  return {
    merge_requests: assigned,
    assigned_merge_requests: assigned,
    review_requested_merge_requests: reviewing,
  };
}

/** Number of merge requests created by a user. */
export async function countAuthoredRequests({ db }: Services, userId: number) {
  const now = Date.now();
  const scope = { sees: 'all', now, within: 'all', today: new Date(now).toISOString() } as const;
  return { merge_requests_count: await requestList.count(db.read, scope, { author_id: userId }, 'limit') };
}
