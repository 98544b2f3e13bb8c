import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { addSystemNote } from '../../notes/public.ts';
import type { Changes } from '../../quick-actions/public.ts';
import { targetOf } from '../changes/records.ts';
import { changeIssue } from '../changes/update.ts';
import { linkIssues, relativeReference, unlinkIssues } from '../links/service.ts';
import { linkBetween } from '../links/store.ts';
import { issuesById, requireIssue, updateIssue } from '../store.ts';

const linked = [
  ['relate_issue_ids', 'relates_to'],
  ['blocks_issue_ids', 'blocks'],
  ['blocked_by_issue_ids', 'is_blocked_by'],
] as const;

/** Executes the quick actions that link an issue to other issues. */
export async function executeRelations(
  services: Services,
  trx: Writer,
  writer: SignedInActor,
  subject: ProjectSubject,
  issueId: number,
  changes: Changes,
): Promise<void> {
  const { id: userId } = writer.user;
  const issue = await requireIssue(trx, issueId);
  for (const [column, type] of linked) {
    for (const other of (await issuesById(trx, changes[column] ?? [])).values()) {
      if (other.id !== issueId) await linkIssues(trx, userId, issue, other, type);
    }
  }
  for (const id of changes.unlink_issue_ids ?? []) {
    const link = await linkBetween(trx, issueId, id);
    if (link) await unlinkIssues(trx, userId, link);
  }
  const { canonical_issue_id } = changes;
  if (canonical_issue_id === undefined || canonical_issue_id === issueId) return;
  const original = await lockRow(trx, 'issues', canonical_issue_id, 'keep');
  if (!original) return;
  await updateIssue(trx, issueId, { duplicated_to_id: original.id });
  const here = `marked this issue as a duplicate of ${await relativeReference(trx, issue, original)}`;
  const there = `marked ${await relativeReference(trx, original, issue)} as a duplicate of this issue`;
  await addSystemNote(trx, targetOf(issue), userId, here);
  await addSystemNote(trx, targetOf(original), userId, there);
  await linkIssues(trx, userId, issue, original, 'relates_to');
  await changeIssue(services, trx, writer, subject, issueId, { state_event: 'close' });
}
