import { type Actor, actingFor, isAdmin, type SignedInActor } from '../../access/actor.ts';
import { findUser } from '../../access/identify.ts';
import { ancestorsOf } from '../../access/namespaces.ts';
import { Role } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import { type ProjectSubject, projectSubject } from '../../access/subjects.ts';
import type { User } from '../../access/tables.ts';
import { recordEvent } from '../../namespaces/events/public.ts';
import { nextInternalId, reserveInternalId } from '../../namespaces/internal-ids/public.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { uniqueViolation } from '../../platform/database/errors.ts';
import { lockRow } from '../../platform/database/locks.ts';
import { Conflict, Forbidden, NotFound } from '../../platform/http/errors.ts';
import { bestPriority, findOrCreateLabels, labelsById } from '../labels/public.ts';
import { usableMilestone } from '../milestones/public.ts';
import { deleteNotesOf, systemTexts } from '../notes/public.ts';
import { recordLabels, recordMilestone, recordState, recordWeight } from '../resource-events/public.ts';
import { deleteSubscriptionsTo, setSubscription, subscriptionOf } from '../subscriptions/public.ts';
import { addTodo, deleteTodosOf, finishTodos } from '../todos/public.ts';
import { mayDelete, mayRead, mayUpdate, takesPart } from './access.ts';
import {
  checkDescription,
  checkTitle,
  checkWeight,
  columnChanges,
  readDay,
  wantedAssignees,
  wantedLabels,
} from './changes.ts';
import { presentIssues } from './present.ts';
import { changeNotes, recordNotes, targetOf } from './records.ts';
import type { IssueChangeParams, IssueEntity, NewIssueParams } from './schema.ts';
import * as store from './store.ts';
import type { IssueRow } from './tables.ts';

/** An issue as one transaction left it, with what hangs on it. */
export interface IssueState {
  readonly issue: IssueRow;
  readonly assigneeIds: readonly number[];
  readonly labelIds: readonly number[];
}

declare module '../../platform/occurrences.ts' {
  interface Occurrences {
    /** An issue was opened, changed, closed or reopened; `before` is absent for a new one. */
    'issue.changed': {
      readonly action: 'open' | 'update' | 'close' | 'reopen';
      readonly actorId: number;
      readonly before?: IssueState;
      readonly after: IssueState;
    };
    'issue.removed': { readonly issue: IssueRow; readonly actorId: number };
  }
}

async function stateOf(db: Reader, issue: IssueRow): Promise<IssueState> {
  const [assignees, labels] = await Promise.all([store.assigneeIds(db, [issue.id]), store.labelIds(db, [issue.id])]);
  return { issue, assigneeIds: assignees.get(issue.id) ?? [], labelIds: labels.get(issue.id) ?? [] };
}

/** An issue that the caller may read; whoever may not is told what a missing one would be told. */
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

/** Whether the caller hears of what happens to an issue: as they said, else because they take part in it. */
export async function isSubscribed(db: Reader, caller: Actor, { issue, assigneeIds }: IssueState): Promise<boolean> {
  if (caller.user === null) return false;
  const said = await subscriptionOf(db, caller.user.id, targetOf(issue));
  return said ?? takesPart(caller, issue, assigneeIds);
}

/** One issue as its own project shows it. */
export async function presentIssue(services: Services, caller: Actor, state: IssueState): Promise<IssueEntity> {
  const within = { projectId: state.issue.project_id };
  const [entity] = await presentIssues(services, caller, [state.issue], { within });
  if (!entity) throw NotFound.record();
  return { ...entity, subscribed: await isSubscribed(services.db.read, caller, state) };
}

export async function getIssue(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  iid: number,
): Promise<IssueEntity> {
  return presentIssue(services, caller, await readableIssue(services, caller, subject, iid));
}

/** Of these users, those who can read the project's issues, and so may be given one. */
async function assignable(db: Reader, { project }: ProjectSubject, ids: readonly number[]): Promise<User[]> {
  const found = await Promise.all(
    ids.map(async (id) => {
      const user = await findUser(db, id);
      if (user?.state !== 'active') return [];
      const subject = await projectSubject(db, actingFor(user), project);
      return subject.can('read_project') && subject.can('read_issue') ? [user] : [];
    }),
  );
  return found.flat();
}

/** The milestone of this number, if the project can use it; null takes the present one away. */
async function milestoneFor(db: Reader, { project, namespace }: ProjectSubject, id: number | null) {
  if (id === null || id === 0) return null;
  const above = namespace.kind === 'group' ? await ancestorsOf(db, namespace.id) : [];
  return usableMilestone(db, id, project.id, above);
}

function mayChooseTimes(caller: SignedInActor, subject: ProjectSubject): boolean {
  return isAdmin(caller) || subject.levels.highest >= Role.owner;
}

async function setLabels(
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

async function setAssignees(
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

export async function createIssue(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  params: NewIssueParams,
): Promise<IssueEntity> {
  const { db, announce } = services;
  const { project } = subject;
  const title = checkTitle(params.title);
  const mayPlan = subject.can('admin_issue');
  if (params.issue_type === 'incident' && !mayPlan) throw new Forbidden();
  const given = mayChooseTimes(caller, subject) ? params : { created_at: undefined, iid: undefined };
  const now = given.created_at ?? Date.now();
  const wanted: Partial<NewIssueParams> = mayPlan ? params : {};
  const assignees = await assignable(db.read, subject, wantedAssignees(wanted) ?? []);
  const milestone = (await milestoneFor(db.read, subject, wanted.milestone_id ?? null)) ?? null;
  const row = {
    project_id: project.id,
    title,
    description: checkDescription(params.description ?? null),
    issue_type: params.issue_type ?? 'issue',
    confidential: params.confidential ? 1 : 0,
    discussion_locked: wanted.discussion_locked === undefined ? null : wanted.discussion_locked ? 1 : 0,
    due_date: readDay(wanted.due_date ?? null),
    weight: checkWeight(wanted.weight ?? null),
    milestone_id: milestone?.id ?? null,
    milestone_due_date: milestone?.due_date ?? null,
    author_id: caller.user.id,
    created_at: now,
    updated_at: now,
  };
  const state = await db
    .write(async (trx) => {
      const iid = await numberFor(trx, project.id, given.iid);
      const inserted = await store.insertIssue(trx, { ...row, iid });
      const empty = { issue: inserted, assigneeIds: [], labelIds: [] };
      const titles = wantedLabels([], wanted) ?? [];
      const labels = await findOrCreateLabels(trx, subject, titles);
      const ids = labels.map(({ id }) => id);
      const label_priority = await setLabels(trx, empty, caller.user.id, ids);
      const issue = label_priority === null ? inserted : await store.updateIssue(trx, inserted.id, { label_priority });
      await setAssignees(trx, empty, caller.user.id, assignees);
      const change = { target: targetOf(issue), userId: caller.user.id };
      if (milestone) await recordMilestone(trx, change, { before: null, after: milestone.id, state: issue.state });
      if (issue.weight !== null) await recordWeight(trx, change, issue.weight);
      await setSubscription(trx, caller.user.id, targetOf(issue), true);
      await recordActivity(trx, issue, caller.user.id, 'created');
      const after = { issue, assigneeIds: assignees.map(({ id }) => id), labelIds: ids };
      await announce(trx, 'issue.changed', { action: 'open', actorId: caller.user.id, after });
      return after;
    })
    .catch((error: unknown) => {
      throw given.iid !== undefined && uniqueViolation(error) ? new Conflict('Duplicated issue') : error;
    });
  return presentIssue(services, caller, state);
}

async function numberFor(trx: Writer, project_id: number, chosen: number | undefined): Promise<number> {
  if (chosen === undefined) return nextInternalId(trx, { project_id }, 'issues');
  await reserveInternalId(trx, { project_id }, 'issues', chosen);
  return chosen;
}

async function recordActivity(
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

/** Changes an issue as far as the caller may; what they may not change of it is left as it is. */
export async function updateIssue(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
  params: IssueChangeParams,
): Promise<IssueEntity> {
  const found = await store.findIssue(services.db.read, subject.project.id, iid);
  if (!found) throw NotFound.record();
  const after = await services.db.write((trx) => changeIssue(services, trx, caller, subject, found.id, params));
  return presentIssue(services, caller, after);
}

/** The change itself, in a transaction of the caller's: for quick actions, pushes and merges too. */
export async function changeIssue(
  services: Services,
  trx: Writer,
  caller: SignedInActor,
  subject: ProjectSubject,
  issueId: number,
  params: IssueChangeParams,
): Promise<IssueState> {
  const locked = await lockRow(trx, 'issues', issueId);
  if (!locked) throw NotFound.record();
  const before = await stateOf(trx, locked);
  if (!mayUpdate(caller, subject, locked, before.assigneeIds)) throw new Forbidden();
  const mayPlan = subject.can('admin_issue');
  const { user } = caller;
  const change: Partial<Omit<IssueRow, 'id'>> = columnChanges(locked, params, mayPlan);
  const edited = change.title !== undefined || change.description !== undefined;
  const target = { target: targetOf(locked), userId: user.id };
  let labelIds = before.labelIds;
  let assigneeIds = before.assigneeIds;
  const notes: string[] = [];
  if (mayPlan) {
    const titles = wantedLabels(
      (await labelsById(trx, before.labelIds)).map(({ title }) => title),
      params,
    );
    if (titles) {
      labelIds = (await findOrCreateLabels(trx, subject, titles)).map(({ id }) => id);
      change.label_priority = await setLabels(trx, before, user.id, labelIds);
    }
    const assigned = await reassign(trx, subject, before, user.id, params);
    if (assigned) {
      assigneeIds = assigned.ids;
      if (assigned.note) notes.push(assigned.note);
    }
    if (params.milestone_id !== undefined) {
      const milestone = await milestoneFor(trx, subject, params.milestone_id);
      if (milestone !== undefined && (milestone?.id ?? null) !== locked.milestone_id) {
        change.milestone_id = milestone?.id ?? null;
        change.milestone_due_date = milestone?.due_date ?? null;
        const moved = { before: locked.milestone_id, after: change.milestone_id, state: locked.state };
        await recordMilestone(trx, target, moved);
      }
    }
    if (change.weight !== undefined) await recordWeight(trx, target, change.weight);
  }
  const event = stateChange(locked, params.state_event);
  if (event) Object.assign(change, event === 'close' ? closing(user.id) : reopening);
  const now = mayChooseTimes(caller, subject) ? (params.updated_at ?? Date.now()) : Date.now();
  const touched = Object.keys(change).length > 0 || labelIds !== before.labelIds || assigneeIds !== before.assigneeIds;
  if (!touched) return before;
  const issue = await store.updateIssue(trx, locked.id, {
    ...change,
    ...(edited ? { last_edited_at: now, last_edited_by_id: user.id } : {}),
    updated_by_id: user.id,
    updated_at: now,
  });
  await recordNotes(trx, issue, user.id, [...changeNotes(locked, issue), ...notes]);
  if (event) {
    await recordState(trx, target, event === 'close' ? 'closed' : 'reopened');
    await recordActivity(trx, issue, user.id, event === 'close' ? 'closed' : 'reopened');
  }
  await finishTodos(trx, user.id, targetOf(issue));
  const after = { issue, assigneeIds, labelIds };
  await services.announce(trx, 'issue.changed', { action: event ?? 'update', actorId: user.id, before, after });
  return after;
}

const closing = (userId: number) => ({ state: 'closed' as const, closed_at: Date.now(), closed_by_id: userId });
const reopening = { state: 'opened' as const, closed_at: null, closed_by_id: null };

/** Closing what is closed changes nothing; a locked discussion keeps its issue closed. */
function stateChange(issue: IssueRow, wanted: 'close' | 'reopen' | undefined): 'close' | 'reopen' | undefined {
  if (wanted === 'close') return issue.state === 'opened' ? 'close' : undefined;
  if (wanted === 'reopen') return issue.state === 'closed' && issue.discussion_locked !== 1 ? 'reopen' : undefined;
  return undefined;
}

/** A list without anybody who can read the issue changes nothing. */
async function reassign(
  trx: Writer,
  subject: ProjectSubject,
  before: IssueState,
  userId: number,
  params: IssueChangeParams,
): Promise<{ ids: readonly number[]; note: string } | undefined> {
  const wantedIds = wantedAssignees(params);
  if (!wantedIds) return undefined;
  const wanted = await assignable(trx, subject, wantedIds);
  if (wantedIds.length > 0 && wanted.length === 0) return undefined;
  const { added, removedIds } = await setAssignees(trx, before, userId, wanted);
  if (added.length === 0 && removedIds.length === 0) return undefined;
  const removed = await Promise.all(removedIds.map((id) => findUser(trx, id)));
  const note = systemTexts.assigneesChanged(
    added.map(({ username }) => username),
    removed.flatMap((user) => user?.username ?? []),
  );
  return { ids: wanted.map(({ id }) => id), note };
}

export async function deleteIssue(
  { db, announce }: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
): Promise<void> {
  const issue = await store.findIssue(db.read, subject.project.id, iid);
  if (!issue) throw new NotFound('Issue');
  if (!mayDelete(subject, issue)) throw new Forbidden();
  await db.write(async (trx) => {
    await announce(trx, 'issue.removed', { issue, actorId: caller.user.id });
    await deleteNotesOf(trx, 'Issue', [issue.id]);
    await deleteTodosOf(trx, 'Issue', [issue.id]);
    await deleteSubscriptionsTo(trx, 'Issue', [issue.id]);
    await store.deleteIssue(trx, issue.id);
  });
}
