import type { Writer } from '../../../platform/database/database.ts';

/** Stores the issues that a merge request closes. */
export async function replaceClosed(trx: Writer, id: number, issueIds: readonly number[]): Promise<void> {
  await trx.deleteFrom('merge_request_closed_issues').where('merge_request_id', '=', id).execute();
  const rows = [...new Set(issueIds)].map((issue_id) => ({ merge_request_id: id, issue_id }));
  if (rows.length > 0) await trx.insertInto('merge_request_closed_issues').values(rows).execute();
}
