import type { Actor, SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { type ProjectSubject, readableProject } from '../../access/subjects.ts';
import type { User } from '../../access/tables.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { lockRow } from '../../platform/database/locks.ts';
import { Forbidden, NotFound } from '../../platform/http/errors.ts';
import { checkUnmodified } from '../../platform/http/responses/precondition.ts';
import { hasCommented } from '../notes/public.ts';
import { deleteTargetDependents } from '../removal.ts';
import { subscriptionOf } from '../subscriptions/public.ts';
import { userAgentDetail } from '../user-agents/public.ts';
import { isAuthorOrAssignee, mayDelete, mayRead } from './access.ts';
import { targetOf } from './changes/records.ts';
import { presentIssues } from './present.ts';
import type { IssueEntity } from './schema.ts';
import * as store from './store.ts';
import type { IssueRow } from './tables.ts';

/** An issue as of one transaction, with its assignees and labels. */
export interface IssueState {
  readonly issue: IssueRow;
  readonly assigneeIds: readonly number[];
  readonly labelIds: readonly number[];
}

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    /** An issue was created, updated, closed or reopened; `before` is absent for a new one. */
    'issue.changed': {
      readonly action: 'open' | 'update' | 'close' | 'reopen';
      readonly actorId: number;
      readonly before?: IssueState;
      readonly after: IssueState;
    };
    'issue.removed': { readonly issue: IssueRow; readonly actorId: number };
  }
}

export async function stateOf(db: Reader, issue: IssueRow): Promise<IssueState> {
  const [assignees, labels] = await Promise.all([store.assigneeIds(db, [issue.id]), store.labelIds(db, [issue.id])]);
  return { issue, assigneeIds: assignees.get(issue.id) ?? [], labelIds: labels.get(issue.id) ?? [] };
}

/** Returns an issue that the caller may read; other callers get the same error as for a missing issue. */
export async function readableIssue(
  { db }: Services,
  caller: Actor,
  subject: ProjectSubject,
  iid: number,
  missing: () => Error = NotFound.record,
): Promise<IssueState> {
  const issue = await store.findIssue(db.read, subject.project.id, iid);
  if (!issue) throw missing();
  const state = await stateOf(db.read, issue);
  if (!mayRead(caller, subject, issue, state.assigneeIds)) throw missing();
  return state;
}

/** Whether the caller receives notifications of an issue: by explicit subscription, or else by participating. */
export async function isSubscribed(db: Reader, caller: Actor, { issue, assigneeIds }: IssueState): Promise<boolean> {
  if (caller.user === null) return false;
  const target = targetOf(issue);
  const explicit = await subscriptionOf(db, caller.user.id, target);
  if (explicit !== undefined || isAuthorOrAssignee(caller, issue, assigneeIds)) return explicit ?? true;
  return issue.user_notes_count > 0 && hasCommented(db, target, caller.user.id);
}

/** Values that the caller of presentIssue already knows, which saves queries. */
interface Known {
  /** Path of the issue's project. */
  readonly path?: string;
  readonly subscribed?: boolean;
}

/** Presents one issue in the context of its own project. */
export async function presentIssue(
  services: Services,
  caller: Actor,
  state: IssueState,
  { path, subscribed }: Known = {},
): Promise<IssueEntity> {
  const { issue, assigneeIds, labelIds } = state;
  const within = { projectId: issue.project_id, ...(path !== undefined && { path }) };
  const inOrder = [...assigneeIds].sort((a, b) => a - b);
  const hanging = { assignees: new Map([[issue.id, inOrder]]), labels: new Map([[issue.id, labelIds]]) };
  const [entity] = await presentIssues(services, caller, [issue], { within, hanging });
  if (!entity) throw NotFound.record();
  return { ...entity, subscribed: subscribed ?? (await isSubscribed(services.db.read, caller, state)) };
}

export async function getIssue(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  iid: number,
): Promise<IssueEntity> {
  const state = await readableIssue(services, caller, subject, iid);
  return presentIssue(services, caller, state, { path: subject.fullPath });
}

export async function userAgentOf(services: Services, caller: Actor, projectId: string, iid: number) {
  const subject = await readableProject(services.db, caller, projectId);
  const { issue } = await readableIssue(services, caller, subject, iid);
  return userAgentDetail(services.db.read, { issue_id: issue.id });
}

/** Returns any issue of the instance by its ID; for administrators. */
export async function getAnyIssue(services: Services, caller: Actor, id: number): Promise<IssueEntity> {
  const issue = (await store.issuesById(services.db.read, [id])).get(id);
  if (!issue) throw NotFound.record();
  return presentIssue(services, caller, await stateOf(services.db.read, issue));
}

/**
 * Returns false if the issue has been deleted concurrently. The lock waits for writers that are adding to the issue, so
 * that their rows are deleted too.
 */
async function removeIssue({ announce }: Services, trx: Writer, issue: IssueRow, actorId: number): Promise<boolean> {
  if (!(await lockRow(trx, 'issues', issue.id, 'remove'))) return false;
  await announce(trx, 'issue.removed', { issue, actorId });
  await deleteTargetDependents(trx, 'Issue', [issue.id]);
  await store.deleteIssue(trx, issue.id);
  return true;
}

export async function deleteIssue(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
  http: Parameters<typeof checkUnmodified>[0],
): Promise<void> {
  const issue = await store.findIssue(services.db.read, subject.project.id, iid);
  if (!issue) throw new NotFound('Issue');
  if (!mayDelete(subject, issue)) throw new Forbidden();
  checkUnmodified(http, issue.updated_at);
  const isRemoved = await services.db.write((trx) => removeIssue(services, trx, issue, caller.user.id));
  if (!isRemoved) throw new NotFound('Issue');
}

const removedAtOnce = 500;

/** Transfers the issues of a deleted user to the heir, or deletes them if there is none. */
export async function transferIssues(
  services: Services,
  trx: Writer,
  { user, heir }: { readonly user: User; readonly heir: User | null },
): Promise<void> {
  await store.handOverIssues(trx, user.id, heir?.id ?? null);
  if (heir?.kind === 'human') await store.handOverAssignments(trx, user.id, heir.id);
  if (heir) return;
  for (;;) {
    const written = await store.issuesWrittenBy(trx, user.id, removedAtOnce);
    if (written.length === 0) return;
    for (const issue of written) await removeIssue(services, trx, issue, user.id);
  }
}
