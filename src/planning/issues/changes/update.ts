import type { SignedInActor } from '../../../access/actor.ts';
import { findUser } from '../../../access/credentials/identify.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { Forbidden, NotFound } from '../../../platform/http/errors.ts';
import { labelsById, labelsToSet } from '../../labels/public.ts';
import { systemTexts } from '../../notes/public.ts';
import { recordMilestone, recordState, recordWeight, type StateSource } from '../../resource-events/public.ts';
import { finishTodos } from '../../todos/public.ts';
import { mayPlan, mayUpdate } from '../access.ts';
import type { IssueChangeParams } from '../schema.ts';
import { type IssueState, stateOf } from '../service.ts';
import * as store from '../store.ts';
import type { IssueRow } from '../tables.ts';
import { assignEpic } from './epic.ts';
import {
  filterAssignableUsers,
  maySetTimes,
  milestoneFor,
  recordActivity,
  setAssignees,
  setLabels,
} from './metadata.ts';
import { changeNotes, recordNotes, targetOf } from './records.ts';
import { columnChanges, requestedAssignees, requestedLabels } from './rules.ts';

/** The attributes of an issue that an update through the API or a quick action can change. */
export type IssueChange = IssueChangeParams & Partial<Pick<IssueRow, 'severity' | 'health_status' | 'iteration_id'>>;

/** Drops a change of the type to incident if the caller may not create incidents. */
function withAllowedType(subject: ProjectSubject, { issue_type, ...rest }: IssueChange): IssueChange {
  const refused = issue_type === undefined || (issue_type === 'incident' && !subject.can('admin_incident'));
  return refused ? rest : { ...rest, issue_type };
}

/** Updates the issue within the caller's transaction; used by quick actions, pushes and merges too. */
export async function changeIssue(
  services: Services,
  trx: Writer,
  caller: SignedInActor,
  subject: ProjectSubject,
  issueId: number,
  params: IssueChange,
  source: StateSource = {},
): Promise<IssueState> {
  const locked = await lockRow(trx, 'issues', issueId);
  if (!locked) throw NotFound.record();
  const before = await stateOf(trx, locked);
  if (!mayUpdate(caller, subject, locked, before.assigneeIds)) throw new Forbidden();
  const plans = mayPlan(subject, locked);
  const { user } = caller;
  const change: Partial<Omit<IssueRow, 'id'>> = columnChanges(locked, withAllowedType(subject, params), plans);
  const edited = change.title !== undefined || change.description !== undefined;
  const target = { target: targetOf(locked), userId: user.id };
  let labelIds = before.labelIds;
  let assigneeIds = before.assigneeIds;
  const notes: string[] = [];
  if (plans) {
    const titles = requestedLabels(
      (await labelsById(trx, before.labelIds)).map(({ title }) => title),
      params,
    );
    if (titles) {
      labelIds = (await labelsToSet(trx, subject, titles, before.labelIds)).map(({ id }) => id);
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
  const inEpic = plans && (await assignEpic(services, trx, caller, subject, locked, params));
  const event = stateChange(locked, params.state_event);
  if (event) Object.assign(change, event === 'close' ? closing(user.id) : reopening);
  const now = maySetTimes(caller, subject) ? (params.updated_at ?? Date.now()) : Date.now();
  const touched =
    inEpic || Object.keys(change).length > 0 || labelIds !== before.labelIds || assigneeIds !== before.assigneeIds;
  if (!touched) return before;
  const issue = await store.updateIssue(trx, locked.id, {
    ...change,
    ...(edited ? { last_edited_at: now, last_edited_by_id: user.id } : {}),
    updated_by_id: user.id,
    updated_at: now,
  });
  await recordNotes(trx, issue, user.id, [...changeNotes(locked, issue), ...notes]);
  if (event) {
    await recordState(trx, target, event === 'close' ? 'closed' : 'reopened', source);
    await recordActivity(trx, issue, user.id, event === 'close' ? 'closed' : 'reopened');
  }
  await finishTodos(trx, user.id, targetOf(issue));
  const after = { issue, assigneeIds, labelIds };
  await services.announce(trx, 'issue.changed', { action: event ?? 'update', actorId: user.id, before, after });
  return after;
}

const closing = (userId: number) => ({ state: 'closed' as const, closed_at: Date.now(), closed_by_id: userId });
const reopening = { state: 'opened' as const, closed_at: null, closed_by_id: null };

/** Closing a closed issue changes nothing, and an issue with a locked discussion cannot be reopened. */
function stateChange(issue: IssueRow, wanted: 'close' | 'reopen' | undefined): 'close' | 'reopen' | undefined {
  if (wanted === 'close') return issue.state === 'opened' ? 'close' : undefined;
  if (wanted === 'reopen') return issue.state === 'closed' && issue.discussion_locked !== 1 ? 'reopen' : undefined;
  return undefined;
}

/** Replaces the assignees. A list without any user who can read the issue changes nothing. */
async function reassign(
  trx: Writer,
  subject: ProjectSubject,
  before: IssueState,
  userId: number,
  params: IssueChangeParams,
): Promise<{ ids: readonly number[]; note: string } | undefined> {
  const wantedIds = requestedAssignees(params);
  if (!wantedIds) return undefined;
  const wanted = await filterAssignableUsers(trx, subject, wantedIds);
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
