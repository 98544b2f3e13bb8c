import type { OpenIssues } from '../../../namespaces/projects/public.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { type Param, statement } from '../../../platform/database/statement.ts';

const counts = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('issues')
    .select(['project_id', 'confidential', (eb) => eb.fn.countAll<number>().as('count')])
    .where('project_id', 'in', param.ids('ids'))
    .where('state', '=', 'opened')
    .groupBy(['project_id', 'confidential']),
);

/** How many issues of projects are open, for the projects' own pages. */
export async function countOpenIssues(
  db: Reader,
  projectIds: readonly number[],
): Promise<ReadonlyMap<number, OpenIssues>> {
  const found = new Map<number, OpenIssues>();
  for (const { project_id, confidential, count } of await counts.all(db, { ids: projectIds })) {
    const known = found.get(project_id) ?? { open: 0, confidential: 0 };
    found.set(project_id, {
      open: known.open + Number(count),
      confidential: known.confidential + (confidential === 1 ? Number(count) : 0),
    });
  }
  return found;
}
