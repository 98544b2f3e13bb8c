import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { groupSubject, type ProjectSubject } from '../../access/subjects.ts';
import type { Writer } from '../../platform/database/database.ts';
import { BadRequest, Forbidden, Invalid, NotFound } from '../../platform/http/errors.ts';
import { awards } from '../award-emoji/public.ts';
import { changeIssue, createRewriter, type IssueState, issueTarget, type LongTexts } from '../issues/public.ts';
import { labelsById } from '../labels/public.ts';
import { addSystemNote, copyNotes } from '../notes/public.ts';
import { copySubscriptions } from '../subscriptions/public.ts';
import { setParent } from './parent.ts';
import { targetOf } from './service.ts';
import { epicReference, issueReference } from './short-references.ts';
import { isPromoted, markPromoted, updateEpic } from './store.ts';
import type { EpicRow } from './tables.ts';
import { addEpic } from './write.ts';

/**
 * Whether a user may promote an issue to an epic: they can plan both, the project is in a group, and the issue has not
 * been promoted.
 */
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

/** Moves the promoted epic below the epic of the issue, if the caller may do so and the hierarchy allows it. */
async function placeUnder(
  trx: Writer,
  caller: SignedInActor,
  epic: EpicRow,
  parentId: number | null,
): Promise<EpicRow> {
  if (parentId === null) return epic;
  try {
    return await setParent(trx, caller, epic, parentId);
  } catch (error) {
    if (error instanceof NotFound || error instanceof Forbidden || error instanceof Invalid) return epic;
    throw error;
  }
}

/**
 * Promotes an issue to an epic in the group of its project and closes the issue, for `/promote`. The epic gets the
 * issue's texts, group labels, notes, emoji reactions, subscribers and parent; references to items of the project are
 * rewritten with the project's path.
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
  const rewrite = createRewriter(services, trx, caller, subject, group, longTexts);
  const [description = null] = issue.description === null ? [] : await rewrite([issue.description]);
  const created = await addEpic(services, trx, caller, group, {
    title: issue.title,
    description,
    confidential: issue.confidential === 1,
    labels: labels.map(({ title }) => title),
  });
  // A concurrent promotion of the same issue waits here for the first one.
  if (!(await markPromoted(trx, issue.id, created.id))) throw new BadRequest('Issue already promoted to epic.');
  const { upvotes, downvotes } = issue;
  const epic = await placeUnder(trx, caller, await updateEpic(trx, created.id, { upvotes, downvotes }), issue.epic_id);
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
