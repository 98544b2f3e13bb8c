import type { Actor } from '../../access/actor.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { MergeRequestRow } from './tables.ts';

/** Whether the caller is the author or an assignee of the merge request. */
export function isAuthorOrAssignee(
  { user }: Actor,
  request: Pick<MergeRequestRow, 'author_id'>,
  assigneeIds: readonly number[],
): boolean {
  return user !== null && (request.author_id === user.id || assigneeIds.includes(user.id));
}

/** Whether the caller may edit the text and state: developers of the target project, the author and the assignees. */
export function mayUpdate(
  actor: Actor,
  subject: ProjectSubject,
  request: Pick<MergeRequestRow, 'author_id'>,
  assigneeIds: readonly number[],
): boolean {
  if (!subject.can('read_merge_request')) return false;
  return subject.can('admin_merge_request') || (!subject.archived && isAuthorOrAssignee(actor, request, assigneeIds));
}
