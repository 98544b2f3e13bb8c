import { actorOnBehalfOf, isAdmin, type SignedInActor } from '../../../access/actor.ts';
import { findUser } from '../../../access/credentials/identify.ts';
import { selfAndAncestorIds } from '../../../access/namespaces/hierarchy.ts';
import { Role } from '../../../access/roles.ts';
import { type ProjectSubject, projectSubject } from '../../../access/subjects.ts';
import type { User } from '../../../access/tables.ts';
import { recordEvent } from '../../../namespaces/events/public.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { bestPriority } from '../../labels/public.ts';
import { usableMilestone } from '../../milestones/public.ts';
import { recordLabels } from '../../resource-events/public.ts';
import { addTodo } from '../../todos/public.ts';
import type { IssueState } from '../service.ts';
import * as store from '../store.ts';
import type { IssueRow } from '../tables.ts';
import { targetOf } from './records.ts';

/** Filters users to those who can read the project's issues (or merge requests), and so can be assigned. */
export async function filterAssignableUsers(
  db: Reader,
  { project }: ProjectSubject,
  ids: readonly number[],
  reading: 'read_issue' | 'read_merge_request' = 'read_issue',
): Promise<User[]> {
  const found = await Promise.all(
    ids.map(async (id) => {
      const user = await findUser(db, id);
      if (user?.state !== 'active') return [];
      const subject = await projectSubject(db, actorOnBehalfOf(user), project);
      return subject.can('read_project') && subject.can(reading) ? [user] : [];
    }),
  );
  return found.flat();
}

/** Returns the milestone with this ID if the project can use it; null removes the current one. */
export async function milestoneFor(db: Reader, { project, namespace }: ProjectSubject, id: number | null) {
  if (id === null || id === 0) return null;
  const above = namespace.kind === 'group' ? await selfAndAncestorIds(db, namespace.id) : [];
  return usableMilestone(db, id, project.id, above);
}

export function maySetTimes(caller: SignedInActor, subject: ProjectSubject): boolean {
  return isAdmin(caller) || subject.levels.highest >= Role.owner;
}

export async function setLabels(
  trx: Writer,
  { issue, labelIds }: IssueState,
  userId: number,
  wanted: readonly number[],
): Promise<number | null> {
  const added = wanted.filter((id) => !labelIds.includes(id));
  const removed = labelIds.filter((id) => !wanted.includes(id));
  await store.addLabels(trx, issue.id, added);
  await store.removeLabels(trx, issue.id, removed);
  await recordLabels(trx, { target: targetOf(issue), userId }, { added, removed });
  return bestPriority(trx, issue.project_id, wanted);
}

export async function setAssignees(
  trx: Writer,
  { issue, assigneeIds }: IssueState,
  userId: number,
  wanted: readonly User[],
): Promise<{ added: readonly User[]; removedIds: readonly number[] }> {
  const added = wanted.filter(({ id }) => !assigneeIds.includes(id));
  const removedIds = assigneeIds.filter((id) => !wanted.some((user) => user.id === id));
  await store.addAssignees(
    trx,
    issue.id,
    added.map(({ id }) => id),
  );
  await store.removeAssignees(trx, issue.id, removedIds);
  for (const { id } of added) {
    await addTodo(trx, { userId: id, authorId: userId, target: targetOf(issue), action: 'assigned' });
  }
  return { added, removedIds };
}

export async function recordActivity(
  trx: Writer,
  issue: IssueRow,
  authorId: number,
  action: 'created' | 'closed' | 'reopened',
): Promise<void> {
  await recordEvent(trx, {
    projectId: issue.project_id,
    authorId,
    action,
    audience: issue.confidential === 1 ? 'confidential' : 'issues',
    target: { type: 'Issue', id: issue.id, iid: issue.iid, title: issue.title },
  });
}
