import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { nextInternalId, reserveInternalId } from '../../../namespaces/internal-ids/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { uniqueViolation } from '../../../platform/database/errors.ts';
import { Conflict, Forbidden } from '../../../platform/http/errors.ts';
import { labelsToSet } from '../../labels/public.ts';
import { type Changes, readCommands } from '../../quick-actions/public.ts';
import { recordMilestone, recordWeight } from '../../resource-events/public.ts';
import { setSubscription } from '../../subscriptions/public.ts';
import { recordUserAgent } from '../../user-agents/public.ts';
import { contextOfNew } from '../commands/context.ts';
import { executeSideEffects, issueChangeFromCommands, newIssueCommands } from '../commands/execute.ts';
import { resolveThreads, withThreadDescription } from '../follow-up.ts';
import type { IssueEntity, NewIssueParams } from '../schema.ts';
import { presentIssue } from '../service.ts';
import * as store from '../store.ts';
import { assignEpic } from './epic.ts';
import {
  filterAssignableUsers,
  maySetTimes,
  milestoneFor,
  recordActivity,
  setAssignees,
  setLabels,
} from './metadata.ts';
import { targetOf } from './records.ts';
import {
  checkDescription,
  checkNumber,
  checkTitle,
  checkWeight,
  readDay,
  requestedAssignees,
  requestedLabels,
} from './rules.ts';
import type { IssueChange } from './update.ts';

/** Creates an issue. `also` runs in the same transaction, so that a failure of it rolls the issue back as well. */
export async function createIssue(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  sent: NewIssueParams,
  also?: (trx: Writer) => Promise<void>,
): Promise<IssueEntity> {
  const { db, announce } = services;
  const { project } = subject;
  const {
    params,
    change: commanded,
    changes,
  } = await withCommands(services, caller, subject, await withThreadDescription(services, caller, subject, sent));
  const title = checkTitle(params.title);
  if (params.issue_type === 'incident' && !subject.can('admin_incident')) throw new Forbidden();
  const given = maySetTimes(caller, subject) ? params : { created_at: undefined, iid: undefined };
  const now = given.created_at ?? Date.now();
  const plans = subject.can('admin_issue');
  const wanted: Partial<NewIssueParams> = subject.can('set_new_issue_metadata') ? params : {};
  const assignees = await filterAssignableUsers(db.read, subject, requestedAssignees(wanted) ?? []);
  const milestone = (await milestoneFor(db.read, subject, wanted.milestone_id ?? null)) ?? null;
  const row = {
    project_id: project.id,
    title,
    description: checkDescription(params.description ?? null),
    issue_type: params.issue_type ?? 'issue',
    confidential: params.confidential ? 1 : 0,
    discussion_locked: !plans || params.discussion_locked === undefined ? null : params.discussion_locked ? 1 : 0,
    due_date: readDay(wanted.due_date ?? null),
    weight: checkWeight(wanted.weight ?? null),
    severity: commanded.severity ?? 'unknown',
    health_status: commanded.health_status ?? null,
    iteration_id: commanded.iteration_id ?? null,
    milestone_id: milestone?.id ?? null,
    milestone_due_date: milestone?.due_date ?? null,
    author_id: caller.user.id,
    created_at: now,
    updated_at: now,
  };
  const plain = Object.keys(changes).length === 0;
  const open = async (trx: Writer) => {
    const iid = await numberFor(trx, project.id, given.iid);
    const inserted = await store.openIssue(trx, { ...row, iid });
    const empty = { issue: inserted, assigneeIds: [], labelIds: [] };
    const titles = requestedLabels([], wanted) ?? [];
    const labels = await labelsToSet(trx, subject, titles);
    const ids = labels.map(({ id }) => id);
    const label_priority = await setLabels(trx, empty, caller.user.id, ids);
    const issue = label_priority === null ? inserted : await store.updateIssue(trx, inserted.id, { label_priority });
    await setAssignees(trx, empty, caller.user.id, assignees);
    const change = { target: targetOf(issue), userId: caller.user.id };
    if (milestone) await recordMilestone(trx, change, { before: null, after: milestone.id, state: issue.state });
    if (issue.weight !== null) await recordWeight(trx, change, issue.weight);
    await setSubscription(trx, caller.user.id, targetOf(issue), true);
    await recordActivity(trx, issue, caller.user.id, 'created');
    await recordUserAgent(trx, caller, { issue_id: issue.id });
    const inEpic = plans && (await assignEpic(services, trx, caller, subject, issue, params));
    const shown = inEpic ? ((await store.issuesById(trx, [issue.id])).get(issue.id) ?? issue) : issue;
    const after = { issue: shown, assigneeIds: assignees.map(({ id }) => id), labelIds: ids };
    await announce(trx, 'issue.changed', { action: 'open', actorId: caller.user.id, after });
    await resolveThreads(services, trx, caller, subject, sent, issue);
    await executeSideEffects(services, trx, caller, subject, issue.id, changes);
    await also?.(trx);
    return plain ? after : { ...after, issue: await store.requireIssue(trx, issue.id) };
  };
  const state = await db.write(open, { together: plain && !also }).catch((error: unknown) => {
    throw given.iid !== undefined && uniqueViolation(error) ? new Conflict('Duplicated issue') : error;
  });
  // Authors are subscribed to their own issues, unless a quick action in the description says otherwise.
  return presentIssue(services, caller, state, { path: subject.fullPath, ...(plain && { subscribed: true }) });
}

/** Removes the quick actions from the description and merges their effect into the submitted attributes. */
async function withCommands(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  sent: NewIssueParams,
): Promise<{ params: NewIssueParams; change: IssueChange; changes: Changes }> {
  const { description, issue_type = 'issue' } = sent;
  if (!description) return { params: sent, change: {}, changes: {} };
  const { body, changes } = await readCommands(description, {
    supported: newIssueCommands,
    context: (wanted) => contextOfNew(services, caller, subject, issue_type, wanted),
  });
  const change = await issueChangeFromCommands(services.db.read, changes);
  const { severity, health_status, iteration_id, state_event, remove_labels, updated_at, ...rest } = change;
  const add_labels = [...(sent.add_labels ?? []), ...(rest.add_labels ?? [])];
  return { params: { ...sent, ...rest, add_labels, description: body }, change, changes };
}

async function numberFor(trx: Writer, project_id: number, chosen: number | undefined): Promise<number> {
  if (chosen === undefined) return nextInternalId(trx, { project_id }, 'issues');
  await reserveInternalId(trx, { project_id }, 'issues', checkNumber(chosen));
  return chosen;
}
