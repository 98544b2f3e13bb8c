import type { SignedInActor } from '../../../access/actor.ts';
import { selfAndAncestorIds } from '../../../access/namespaces/hierarchy.ts';
import type { Services } from '../../../access/services.ts';
import { type ProjectSubject, readableProject } from '../../../access/subjects.ts';
import { nextInternalId } from '../../../namespaces/internal-ids/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { HttpError, NotFound } from '../../../platform/http/errors.ts';
import { awards } from '../../award-emoji/public.ts';
import { findLabels, labelsById } from '../../labels/public.ts';
import { milestonesById, milestonesNamed } from '../../milestones/public.ts';
import { addSystemNote, copyNotes } from '../../notes/public.ts';
import { copySubscriptions, setSubscription } from '../../subscriptions/public.ts';
import { lockTarget } from '../../target.ts';
import { copyTimelogs } from '../../time-tracking/public.ts';
import { assignEpic } from '../changes/epic.ts';
import { filterAssignableUsers, milestoneFor, recordActivity, setAssignees, setLabels } from '../changes/metadata.ts';
import { targetOf } from '../changes/records.ts';
import { changeIssue } from '../changes/update.ts';
import { relativeReference } from '../links/service.ts';
import { moveLinks, recountBlocked } from '../links/store.ts';
import type { IssueEntity } from '../schema.ts';
import { type IssueState, presentIssue, readableIssue, stateOf } from '../service.ts';
import * as store from '../store.ts';
import type { IssueRow } from '../tables.ts';
import { type LongTexts, readLongTexts } from './long-texts.ts';
import { createRewriter, type Rewriter } from './texts.ts';

type Verb = 'move' | 'clone';

function refused(verb: Verb): HttpError {
  return new HttpError(400, { message: `Unable to ${verb}. You have insufficient permissions.` });
}

interface Copying {
  readonly authorId: number;
  readonly withNotes: boolean;
  /** Whether emoji reactions and the time spent are copied too. */
  readonly whole?: boolean;
  readonly created_at: number;
  readonly rewrite: Rewriter;
}

/** Copies an issue to a project, with the labels and the milestone of the same title there. */
async function copyIssue(
  trx: Writer,
  caller: SignedInActor,
  place: ProjectSubject,
  { issue, assigneeIds, labelIds }: IssueState,
  { authorId, withNotes, whole = false, created_at, rewrite }: Copying,
): Promise<IssueRow> {
  const project_id = place.project.id;
  const titles = (await labelsById(trx, labelIds)).map(({ title }) => title);
  const labels = [...(await findLabels(trx, place, titles)).values()].map(({ id }) => id);
  const old = (await milestonesById(trx, [issue.milestone_id])).get(issue.milestone_id ?? 0);
  const above = place.namespace.kind === 'group' ? await selfAndAncestorIds(trx, place.namespace.id) : [];
  const named = await milestonesNamed(trx, project_id, above, old ? [old.title] : []);
  const milestone = await milestoneFor(trx, place, (old && named.get(old.title)?.id) ?? null);
  const [description = null] = issue.description === null ? [] : await rewrite([issue.description]);
  const made = await store.insertIssue(trx, {
    iid: await nextInternalId(trx, { project_id }, 'issues'),
    project_id,
    title: issue.title,
    description,
    issue_type: issue.issue_type,
    confidential: issue.confidential,
    discussion_locked: issue.discussion_locked,
    author_id: authorId,
    due_date: issue.due_date,
    start_date: issue.start_date,
    weight: issue.weight,
    severity: issue.severity,
    health_status: issue.health_status,
    time_estimate: issue.time_estimate,
    iteration_id: await store.iterationWithin(trx, issue.iteration_id, above),
    milestone_id: milestone?.id ?? null,
    milestone_due_date: milestone?.due_date ?? null,
    user_notes_count: withNotes ? issue.user_notes_count : 0,
    ...(whole && { total_time_spent: issue.total_time_spent, upvotes: issue.upvotes, downvotes: issue.downvotes }),
    created_at,
    updated_at: Date.now(),
  });
  const empty = { issue: made, assigneeIds: [], labelIds: [] };
  const label_priority = await setLabels(trx, empty, caller.user.id, labels);
  await setAssignees(trx, empty, caller.user.id, await filterAssignableUsers(trx, place, assigneeIds));
  if (withNotes) await copyNotes(trx, targetOf(issue), targetOf(made), rewrite);
  if (whole) {
    await awards.copyAwards(trx, 'Issue', new Map([[issue.id, made.id]]), targetOf(made));
    await copyTimelogs(trx, targetOf(issue), made);
  }
  await setSubscription(trx, caller.user.id, targetOf(made), true);
  await recordActivity(trx, made, caller.user.id, 'created');
  return store.updateIssue(trx, made.id, { label_priority });
}

async function announceNew({ announce }: Services, trx: Writer, actorId: number, issue: IssueRow): Promise<IssueState> {
  const after = await stateOf(trx, issue);
  await announce(trx, 'issue.changed', { action: 'open', actorId, after });
  return after;
}

/** Moves an issue: creates a copy with its notes in the other project, closes the original and links it to the copy. */
export async function moveIn(
  services: Services,
  trx: Writer,
  caller: SignedInActor,
  subject: ProjectSubject,
  issueId: number,
  place: ProjectSubject,
  longTexts: LongTexts,
): Promise<IssueState> {
  if (!subject.can('admin_issue') || !place.can('admin_issue')) throw refused('move');
  const { user } = caller;
  const locked = await lockRow(trx, 'issues', issueId);
  if (locked?.moved_to_id !== null) throw refused('move');
  const state = await stateOf(trx, locked);
  const { issue } = state;
  const rewrite = createRewriter(services, trx, caller, subject, place, longTexts);
  const copying = { authorId: issue.author_id, withNotes: true, whole: true, created_at: issue.created_at, rewrite };
  const made = await copyIssue(trx, caller, place, state, copying);
  await addSystemNote(trx, targetOf(made), user.id, `moved from ${await relativeReference(trx, made, issue)}`);
  await addSystemNote(trx, targetOf(issue), user.id, `moved to ${await relativeReference(trx, issue, made)}`);
  await store.updateIssue(trx, issue.id, { moved_to_id: made.id });
  await copySubscriptions(trx, targetOf(issue), targetOf(made));
  await recountBlocked(trx, [...(await moveLinks(trx, issue.id, made.id)), issue.id]);
  await keepEpic(services, trx, caller, { subject, issue }, { subject: place, issue: made });
  await changeIssue(services, trx, caller, subject, issue.id, { state_event: 'close' });
  return announceNew(services, trx, user.id, await store.requireIssue(trx, made.id));
}

interface Placed {
  readonly subject: ProjectSubject;
  readonly issue: IssueRow;
}

/** Keeps the issue in its epic if the epic's group contains the new project too and the caller may assign it. */
async function keepEpic(services: Services, trx: Writer, caller: SignedInActor, from: Placed, to: Placed) {
  const { epic_id } = from.issue;
  if (epic_id === null || !(await store.isEpicWithin(trx, epic_id, to.subject.namespace.id))) return;
  try {
    await assignEpic(services, trx, caller, to.subject, to.issue, { epic_id });
  } catch (error) {
    // The caller may move the issue but not change the epic.
    if (error instanceof NotFound) return;
    throw error;
  }
  await assignEpic(services, trx, caller, from.subject, from.issue, { epic_id: 0 });
}

export async function moveIssue(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
  projectId: number,
): Promise<IssueEntity> {
  const found = await readableIssue(services, caller, subject, iid, () => new NotFound('Issue'));
  const place = await readableProject(services.db, caller, projectId);
  if (place.project.id === subject.project.id) return presentIssue(services, caller, found);
  const longTexts = await readLongTexts(services, found.issue);
  const after = await services.db.write((trx) =>
    moveIn(services, trx, caller, subject, found.issue.id, place, longTexts),
  );
  return presentIssue(services, caller, after);
}

/** Clones an issue, possibly within its project; the original is unchanged. */
export async function cloneIn(
  services: Services,
  trx: Writer,
  caller: SignedInActor,
  subject: ProjectSubject,
  state: IssueState,
  place: ProjectSubject,
  withNotes: boolean,
  longTexts: LongTexts,
): Promise<IssueState> {
  if (!subject.can('admin_issue') || !place.can('admin_issue')) throw refused('clone');
  const { user } = caller;
  const { issue } = state;
  if (!(await lockTarget(trx, targetOf(issue)))) throw new NotFound('Issue');
  const rewrite = createRewriter(services, trx, caller, subject, place, longTexts);
  const copying = { authorId: user.id, withNotes, created_at: Date.now(), rewrite };
  const made = await copyIssue(trx, caller, place, state, copying);
  await addSystemNote(trx, targetOf(made), user.id, `cloned from ${await relativeReference(trx, made, issue)}`);
  await addSystemNote(trx, targetOf(issue), user.id, `cloned to ${await relativeReference(trx, issue, made)}`);
  return announceNew(services, trx, user.id, made);
}

export async function cloneIssue(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
  { to_project_id, with_notes }: { readonly to_project_id: number; readonly with_notes: boolean },
): Promise<IssueEntity> {
  const found = await readableIssue(services, caller, subject, iid, () => new NotFound('Issue'));
  const place = await readableProject(services.db, caller, to_project_id);
  const longTexts = await readLongTexts(services, found.issue);
  const after = await services.db.write((trx) =>
    cloneIn(services, trx, caller, subject, found, place, with_notes, longTexts),
  );
  return presentIssue(services, caller, after);
}
