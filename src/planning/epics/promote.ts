import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import { groupSubject, type ProjectSubject } from '../../access/subjects.ts';
import type { Writer } from '../../platform/database/database.ts';
import { BadRequest, Forbidden } from '../../platform/http/errors.ts';
import { changeIssue, type IssueState, issueTarget, type LongTexts, rewritingFor } from '../issues/public.ts';
import { labelsById } from '../labels/public.ts';
import { addSystemNote, copyNotes } from '../notes/public.ts';
import { targetOf } from './service.ts';
import { epicReference, issueReference } from './short-references.ts';
import type { EpicRow } from './tables.ts';
import { addEpic } from './write.ts';

/** Whether somebody may make an epic of the issues of a project: where they plan both, and the project is of a group. */
export async function mayPromote({ db }: Services, caller: SignedInActor, subject: ProjectSubject): Promise<boolean> {
  if (subject.namespace.kind !== 'group' || !subject.can('admin_issue')) return false;
  return (await groupSubject(db.read, caller, subject.namespace)).can('create_epic');
}

/**
 * Makes an epic of an issue, in the group of its project, and closes the issue: for `/promote`. The epic gets the
 * issue's texts, labels of groups and comments; what those refer to in the project they name with the project.
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
  const epic = await addEpic(services, trx, caller, group, {
    title: issue.title,
    description,
    confidential: issue.confidential === 1,
    labels: labels.map(({ title }) => title),
  });
  await copyNotes(trx, issueTarget(issue), targetOf(epic), rewrite);
  const at = Date.now();
  const from = issueReference(group.group, subject.project, subject.namespace, issue.iid);
  await addSystemNote(trx, targetOf(epic), caller.user.id, `promoted from issue ${from}`, { at });
  const named = epicReference(group.group, subject.namespace, epic.iid);
  await addSystemNote(trx, issueTarget(issue), caller.user.id, `promoted to epic ${named}`, { at });
  await changeIssue(services, trx, caller, subject, issue.id, { state_event: 'close' });
  return epic;
}
