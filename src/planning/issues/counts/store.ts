import type { OpenIssues } from '../../../namespaces/projects/public.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { type Param, statement } from '../../../platform/database/statement.ts';

const counts = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('derived_open_issues')
    .select(['project_id', 'open', 'confidential'])
    .where('project_id', 'in', param.ids('ids')),
);

/** Number of open issues per project, for the project entity. */
export async function countOpenIssues(
  db: Reader,
  projectIds: readonly number[],
): Promise<ReadonlyMap<number, OpenIssues>> {
  const found = await counts.all(db, { ids: projectIds });
  return new Map(found.map(({ project_id, ...count }) => [project_id, count]));
}
