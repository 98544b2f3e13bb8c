import type { SignedInActor } from '../../../access/actor.ts';
import { isProject } from '../../../access/project-or-group.ts';
import type { Services } from '../../../access/services.ts';
import type { LabelCounter } from '../../labels/public.ts';
import { issueScope } from '../lists/browse.ts';
import { issueList } from '../lists/list.ts';
import { countLabelled } from './label-store.ts';

/** Number of open issues assigned to the caller that the caller may read. */
export async function countAssignedIssues({ db }: Services, caller: SignedInActor) {
  const asked = { assignee_id: caller.user.id, state: 'opened' } as const;
  return { assigned_issues: await issueList.count(db.read, issueScope(caller, null), asked, 'limit') };
}

/** Number of issues created by a user. */
export async function countAuthoredIssues({ db }: Services, userId: number) {
  const now = Date.now();
  const scope = { sees: 'all', now, within: 'all', confidential: true, today: new Date(now).toISOString() } as const;
  return { issues_count: await issueList.count(db.read, scope, { author_id: userId }, 'limit') };
}

/** Number of open and closed issues per label that the caller may read. */
export const countLabelledIssues: LabelCounter = async ({ db }, caller, place, labelIds) => {
  if (isProject(place) && !place.can('read_issue')) return new Map();
  const rows = await countLabelled(db.read, issueScope(caller, place), labelIds);
  return new Map(
    rows.map(({ label_id, opened, closed }) => [
      label_id,
      { open_issues_count: Number(opened), closed_issues_count: Number(closed) },
    ]),
  );
};
