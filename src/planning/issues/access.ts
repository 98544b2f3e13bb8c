import type { Actor } from '../../access/actor.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { IssueRow } from './tables.ts';

type Issue = Pick<IssueRow, 'author_id' | 'confidential'>;
type Typed = Pick<IssueRow, 'issue_type'>;

/** Whether the caller is the author or an assignee of the issue. */
export function isAuthorOrAssignee({ user }: Actor, issue: Issue, assigneeIds: readonly number[]): boolean {
  return user !== null && (issue.author_id === user.id || assigneeIds.includes(user.id));
}

/** Confidential issues are visible to planners and above, to their author and to their assignees. */
export function mayRead(actor: Actor, subject: ProjectSubject, issue: Issue, assigneeIds: readonly number[]): boolean {
  if (!subject.can('read_issue')) return false;
  if (issue.confidential === 0) return true;
  return subject.can('read_confidential_issue') || isAuthorOrAssignee(actor, issue, assigneeIds);
}

/** Whether the caller may plan any issue of the project and edit its metadata. Planners cannot manage incidents. */
export const mayPlan = (subject: ProjectSubject, { issue_type }: Typed): boolean =>
  subject.can(issue_type === 'incident' ? 'admin_incident' : 'admin_issue');

/** Whether the caller may edit the text and state: planners and above, the author and the assignees. */
export function mayUpdate(
  actor: Actor,
  subject: ProjectSubject,
  issue: Issue & Typed,
  assigneeIds: readonly number[],
): boolean {
  if (!mayRead(actor, subject, issue, assigneeIds)) return false;
  return mayPlan(subject, issue) || (!subject.archived && isAuthorOrAssignee(actor, issue, assigneeIds));
}

/** Only owners may delete an incident. */
export function mayDelete(subject: ProjectSubject, issue: Typed): boolean {
  if (!subject.can('destroy_issue')) return false;
  return issue.issue_type !== 'incident' || subject.can('destroy_incident');
}
