import type { Actor } from '../../access/actor.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { MergeRequestRow } from './tables.ts';

/** The caller wrote it, or it is theirs to do. */
export function takesPart(
  { user }: Actor,
  request: Pick<MergeRequestRow, 'author_id'>,
  assigneeIds: readonly number[],
): boolean {
  return user !== null && (request.author_id === user.id || assigneeIds.includes(user.id));
}

/** Its text and state: developers of the target, and those who take part in it. */
export function mayUpdate(
  actor: Actor,
  subject: ProjectSubject,
  request: Pick<MergeRequestRow, 'author_id'>,
  assigneeIds: readonly number[],
): boolean {
  if (!subject.can('read_merge_request')) return false;
  return subject.can('admin_merge_request') || (!subject.archived && takesPart(actor, request, assigneeIds));
}
