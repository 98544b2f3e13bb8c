import type { Reader } from '../../../platform/database/database.ts';
import { type Param, statement } from '../../../platform/database/statement.ts';
import type { IssueRow } from '../tables.ts';

const numbered = statement((db, param: Param<{ project: number; iids: readonly number[] }>) =>
  db
    .selectFrom('issues')
    .select(['id', 'iid', 'project_id', 'title', 'state', 'issue_type', 'author_id', 'confidential'])
    .select(['milestone_id', 'health_status'])
    .where('project_id', '=', param('project'))
    .where('iid', 'in', param.ids('iids')),
);

export type ReferredIssue = Pick<
  IssueRow,
  | 'id'
  | 'iid'
  | 'project_id'
  | 'title'
  | 'state'
  | 'issue_type'
  | 'author_id'
  | 'confidential'
  | 'milestone_id'
  | 'health_status'
>;

/** Issues of a project by IID. */
export function issuesByIid(db: Reader, project: number, iids: readonly number[]): Promise<ReferredIssue[]> {
  return iids.length === 0 ? Promise.resolve([]) : numbered.all(db, { project, iids: [...new Set(iids)] });
}
