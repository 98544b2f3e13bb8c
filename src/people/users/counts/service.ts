import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { UserCounts } from '../tables.ts';

const none: UserCounts = {
  merge_requests: 0,
  assigned_issues: 0,
  assigned_merge_requests: 0,
  review_requested_merge_requests: 0,
  todos: 0,
};

/** Collects the counters of all areas. */
export async function getUserCounts(services: Services, caller: SignedInActor): Promise<UserCounts> {
  const counted = services.contributions('users.waiting').map((count) => count(services, caller));
  return Object.assign({ ...none }, ...(await Promise.all(counted)));
}
