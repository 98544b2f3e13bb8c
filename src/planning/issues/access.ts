import type { Actor } from '../../access/actor.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { IssueRow } from './tables.ts';

type Issue = Pick<IssueRow, 'author_id' | 'confidential'>;
type Typed = Pick<IssueRow, 'issue_type'>;

/** The caller wrote it, or it is theirs to do. */
export function takesPart({ user }: Actor, issue: Issue, assigneeIds: readonly number[]): boolean {
  return user !== null && (issue.author_id === user.id || assigneeIds.includes(user.id));
}

/** Confidential issues are seen by those who plan, who wrote them, and whose they are to do. */
export function mayRead(actor: Actor, subject: ProjectSubject, issue: Issue, assigneeIds: readonly number[]): boolean {
  if (!subject.can('read_issue')) return false;
  if (issue.confidential === 0) return true;
  return subject.can('read_confidential_issue') || takesPart(actor, issue, assigneeIds);
}

/** Any issue, and what is set on it. Planners keep out of incidents. */
export const mayPlan = (subject: ProjectSubject, { issue_type }: Typed): boolean =>
  subject.can(issue_type === 'incident' ? 'admin_incident' : 'admin_issue');

/** Its text and state: those who plan, and those who take part in it. */
export function mayUpdate(
  actor: Actor,
  subject: ProjectSubject,
  issue: Issue & Typed,
  assigneeIds: readonly number[],
): boolean {
  if (!mayRead(actor, subject, issue, assigneeIds)) return false;
  return mayPlan(subject, issue) || (!subject.archived && takesPart(actor, issue, assigneeIds));
}

/** An incident is removed by owners alone. */
export function mayDelete(subject: ProjectSubject, issue: Typed): boolean {
  if (!subject.can('destroy_issue')) return false;
  return issue.issue_type !== 'incident' || subject.can('remove_project');
}
