import type { Reader } from '../../../platform/database/database.ts';
import { type Param, statement } from '../../../platform/database/statement.ts';
import type { MergeRequestRow } from '../tables.ts';

const numbered = statement((db, param: Param<{ project: number; iids: readonly number[] }>) =>
  db
    .selectFrom('merge_requests')
    .select(['id', 'iid', 'title', 'state', 'milestone_id'])
    .where('project_id', '=', param('project'))
    .where('iid', 'in', param.ids('iids')),
);

/** Merge requests of a project by IID. */
export function requestsNumbered(
  db: Reader,
  project: number,
  iids: readonly number[],
): Promise<Pick<MergeRequestRow, 'id' | 'iid' | 'title' | 'state' | 'milestone_id'>[]> {
  return iids.length === 0 ? Promise.resolve([]) : numbered.all(db, { project, iids: [...new Set(iids)] });
}
