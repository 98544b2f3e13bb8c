import type { Reader, Writer } from '../../../platform/database/database.ts';
import { type Param, statement } from '../../../platform/database/statement.ts';
import type { MergeRequestRow } from '../tables.ts';

const numbered = statement((db, param: Param<{ project: number; iids: readonly number[] }>) =>
  db
    .selectFrom('issues')
    .select(['id', 'iid', 'author_id', 'confidential'])
    .where('project_id', '=', param('project'))
    .where('iid', 'in', param.ids('iids'))
    .orderBy('iid'),
);

/** The issues of a project that have these numbers. */
export function issueNumbers(db: Reader, project: number, iids: readonly number[]) {
  return iids.length === 0 ? Promise.resolve([]) : numbered.all(db, { project, iids: [...new Set(iids)] });
}

/** Keeps which issues a merge request says it closes. */
export async function replaceClosed(trx: Writer, id: number, issueIds: readonly number[]): Promise<void> {
  await trx.deleteFrom('merge_request_closed_issues').where('merge_request_id', '=', id).execute();
  const rows = [...new Set(issueIds)].map((issue_id) => ({ merge_request_id: id, issue_id }));
  if (rows.length > 0) await trx.insertInto('merge_request_closed_issues').values(rows).execute();
}

const mostShown = 1000;

/** The merge requests that say they close an issue, the newest first. */
export function requestsClosing(db: Reader, issueId: number): Promise<MergeRequestRow[]> {
  return db
    .selectFrom('merge_request_closed_issues as c')
    .innerJoin('merge_requests', 'merge_requests.id', 'c.merge_request_id')
    .selectAll('merge_requests')
    .where('c.issue_id', '=', issueId)
    .orderBy('merge_requests.id', 'desc')
    .limit(mostShown)
    .execute();
}

/** The merge requests that speak of an issue or close it, the newest first. */
export function requestsAbout(db: Reader, issueId: number): Promise<MergeRequestRow[]> {
  const mentioning = db
    .selectFrom('cross_references')
    .select('source_id')
    .where('target_type', '=', 'Issue')
    .where('target_id', '=', issueId)
    .where('source_type', '=', 'MergeRequest');
  const closing = db
    .selectFrom('merge_request_closed_issues')
    .select('merge_request_id as source_id')
    .where('issue_id', '=', issueId);
  return db
    .selectFrom('merge_requests')
    .selectAll()
    .where('id', 'in', mentioning.union(closing))
    .orderBy('id', 'desc')
    .limit(mostShown)
    .execute();
}
