import { type Insertable, sql, type Updateable } from 'kysely';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { linkBetween, recountBlocked } from '../links/store.ts';
import { addAssignees, addLabels, insertIssue } from '../store.ts';
import type { IssueLinkRow, IssueRow, IssuesTable } from '../tables.ts';

/** Inserts an imported issue with its original IID, timestamps and state, without announcing any event. */
export async function insertImportedIssue(
  trx: Writer,
  row: Insertable<IssuesTable>,
  { labelIds, assigneeIds }: { readonly labelIds: readonly number[]; readonly assigneeIds: readonly number[] },
): Promise<IssueRow> {
  const issue = await insertIssue(trx, row);
  await addLabels(trx, issue.id, labelIds);
  await addAssignees(trx, issue.id, assigneeIds);
  return issue;
}

/** Updates columns of an imported issue that become known later. */
export async function updateImportedIssue(trx: Writer, id: number, change: Updateable<IssuesTable>): Promise<void> {
  await trx.updateTable('issues').set(change).where('id', '=', id).execute();
}

/** Increments the note count for an imported note without touching `updated_at`. */
export async function countImportedNote(trx: Writer, id: number): Promise<void> {
  await trx
    .updateTable('issues')
    .set({ user_notes_count: sql<number>`user_notes_count + 1` })
    .where('id', '=', id)
    .execute();
}

export function findIssueByNumber(db: Reader, projectId: number, iid: number): Promise<IssueRow | undefined> {
  return db
    .selectFrom('issues')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('iid', '=', iid)
    .executeTakeFirst();
}

/** Links two imported issues; does nothing if they are already linked. */
export async function linkImportedIssues(
  trx: Writer,
  link: Pick<IssueLinkRow, 'source_id' | 'target_id' | 'link_type' | 'created_at'>,
): Promise<void> {
  if (await linkBetween(trx, link.source_id, link.target_id)) return;
  await trx
    .insertInto('issue_links')
    .values({ ...link, updated_at: link.created_at })
    .execute();
  if (link.link_type === 'blocks') await recountBlocked(trx, [link.source_id]);
}
