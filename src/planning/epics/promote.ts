import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { groupSubject, type ProjectSubject } from '../../access/subjects.ts';
import type { Writer } from '../../platform/database/database.ts';
import { BadRequest, Forbidden, Invalid, NotFound } from '../../platform/http/errors.ts';
import { awards } from '../award-emoji/public.ts';
import { changeIssue, type IssueState, issueTarget, type LongTexts, rewritingFor } from '../issues/public.ts';
import { labelsById } from '../labels/public.ts';
import { addSystemNote, copyNotes } from '../notes/public.ts';
import { copySubscriptions } from '../subscriptions/public.ts';
import { moveUnder } from './parent.ts';
import { targetOf } from './service.ts';
import { epicReference, issueReference } from './short-references.ts';
import { isPromoted, markPromoted, updateEpic } from './store.ts';
import type { EpicRow } from './tables.ts';
import { addEpic } from './write.ts';

/** Whether somebody may make an epic of an issue: where they plan both, the project is of a group, and it is none yet. */
export async function mayPromote(
  { db }: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  issueId: number,
): Promise<boolean> {
  if (subject.namespace.kind !== 'group' || !subject.can('admin_issue')) return false;
  if (!(await groupSubject(db.read, caller, subject.namespace)).can('create_epic')) return false;
  return !(await isPromoted(db.read, issueId));
}

/** An epic made of an issue lies under the issue's epic, where the caller may say so and it may lie there. */
async function placeUnder(
  trx: Writer,
  caller: SignedInActor,
  epic: EpicRow,
  parentId: number | null,
): Promise<EpicRow> {
  if (parentId === null) return epic;
  try {
    return await moveUnder(trx, caller, epic, parentId);
  } catch (error) {
    if (error instanceof NotFound || error instanceof Forbidden || error instanceof Invalid) return epic;
    throw error;
  }
}

/**
 * Makes an epic of an issue, in the group of its project, and closes the issue: for `/promote`. The epic gets the
 * issue's texts, labels of groups, comments, reactions, subscribers and parent; what the texts refer to in the project
 * they name with the project.
 */
export async function promoteToEpic(
  services: Services,
  trx: Writer,
  caller: SignedInActor,
  subject: ProjectSubject,
  { issue, labelIds }: IssueState,
  longTexts: LongTexts,
): Promise<EpicRow> {
  if (subject.namespace.kind !== 'group')
    throw new BadRequest('Cannot promote issue because it does not belong to a group.');
  const group = await groupSubject(trx, caller, subject.namespace);
  if (!group.can('create_epic') || !subject.can('admin_issue')) throw new Forbidden();
  const labels = (await labelsById(trx, labelIds)).filter(({ namespace_id }) => namespace_id !== null);
  const rewrite = rewritingFor(services, trx, caller, subject, group, longTexts);
  const [description = null] = issue.description === null ? [] : await rewrite([issue.description]);
  const made = await addEpic(services, trx, caller, group, {
    title: issue.title,
    description,
    confidential: issue.confidential === 1,
    labels: labels.map(({ title }) => title),
  });
  // Of two who promote it at once, the second waits here for the first.
  if (!(await markPromoted(trx, issue.id, made.id))) throw new BadRequest('Issue already promoted to epic.');
  const { upvotes, downvotes } = issue;
  const epic = await placeUnder(trx, caller, await updateEpic(trx, made.id, { upvotes, downvotes }), issue.epic_id);
  await copyNotes(trx, issueTarget(issue), targetOf(epic), rewrite);
  await awards.copyAwards(trx, 'Issue', new Map([[issue.id, epic.id]]), targetOf(epic), 'Epic');
  await copySubscriptions(trx, issueTarget(issue), targetOf(epic));
  const at = Date.now();
  const from = issueReference(group.group, subject.project, subject.namespace, issue.iid);
  await addSystemNote(trx, targetOf(epic), caller.user.id, `promoted from issue ${from}`, { at });
  const named = epicReference(group.group, subject.namespace, epic.iid);
  await addSystemNote(trx, issueTarget(issue), caller.user.id, `promoted to epic ${named}`, { at });
  await changeIssue(services, trx, caller, subject, issue.id, { state_event: 'close' });
  return epic;
}
