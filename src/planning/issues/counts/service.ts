import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import { issueScope } from '../lists/browse.ts';
import { issueList } from '../lists/list.ts';

/** How many open issues wait for somebody, of those that they may read. */
export async function issuesWaiting({ db }: Services, caller: SignedInActor) {
  const asked = { assignee_id: caller.user.id, state: 'opened' } as const;
  return { assigned_issues: await issueList.count(db.read, issueScope(caller, null), asked, 'limit') };
}

/** How many issues somebody has written. */
export async function issuesWritten({ db }: Services, userId: number) {
  const now = Date.now();
  const scope = { sees: 'all', now, within: 'all', confidential: true, today: new Date(now).toISOString() } as const;
  return { issues_count: await issueList.count(db.read, scope, { author_id: userId }, 'limit') };
}
