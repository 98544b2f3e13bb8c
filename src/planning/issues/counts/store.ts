import { sql } from 'kysely';
import type { OpenIssues } from '../../../namespaces/projects/public.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { type Param, statement } from '../../../platform/database/statement.ts';

interface Counted {
  readonly counted: string;
  readonly owner: number;
  readonly total: number;
}

const [plain, confidential] = ['issues.opened.0', 'issues.opened.1'];

const counts = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom(sql<Counted>`derived_counts`.as('counts'))
    .select(['counted', 'owner', 'total'])
    .where('counted', 'in', [sql.lit(plain), sql.lit(confidential)])
    .where('owner', 'in', param.ids('ids')),
);

/** Number of open issues per project, for the project entity. */
export async function countOpenIssues(
  db: Reader,
  projectIds: readonly number[],
): Promise<ReadonlyMap<number, OpenIssues>> {
  const found = new Map<number, OpenIssues>();
  for (const { counted, owner, total } of await counts.all(db, { ids: projectIds })) {
    const others = found.get(owner) ?? { open: 0, confidential: 0 };
    const more = { open: others.open + total, confidential: others.confidential };
    found.set(owner, counted === confidential ? { ...more, confidential: total } : more);
  }
  return found;
}
