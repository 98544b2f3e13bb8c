import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { mayReadRegistry } from '../../../access/visibility/registry-access.ts';
import type { Viewer } from '../../../access/visibility/visible.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { type BoundFilterOf, boundProperties } from '../../../platform/database/form.ts';
import { rawQuery, shapedQuery } from '../../../platform/database/shaped.ts';
import type { ReadStrategies } from '../../../platform/list-kit/declaration.ts';
import { list } from '../../../platform/list-kit/list.ts';
import { byExpression } from '../../../platform/list-kit/order.ts';
import { maxSplitScopes, splitScopes } from '../../../platform/list-kit/split-scopes.ts';
import { packageFilters, packageOrders } from '../list.ts';

type Condition = RawBuilder<SqlBool>;

interface GroupScope extends Viewer {
  readonly group: number;
  /** Excludes subgroups. */
  readonly alone: boolean;
  /** Restricts the list to one project the caller can read. */
  readonly project?: number | undefined;
}

const scope = boundProperties<GroupScope>()({ values: ['group', 'user', 'now', 'project'] });
type Scope = BoundFilterOf<typeof scope>;

/** Whether packages of project `p` are listed. */
function isListed(ask: Scope): Condition {
  const inside: Condition = ask.alone
    ? sql`p.namespace_id = ${ask.group}`
    : sql`p.namespace_id in (select namespace_id from namespace_ancestors where ancestor_id = ${ask.group})`;
  return sql`${inside} and ${mayReadRegistry('package_registry_access_level', ask)}`;
}

const listedIn = shapedQuery(scope, (db, ask: Scope) =>
  rawQuery<{ id: number }>(
    db,
    sql`select p.id from projects p
      where ${isListed(ask)} and exists (select 1 from packages k where k.project_id = p.id)
      limit ${sql.lit(maxSplitScopes + 1)}`,
  ),
);

/** The packages of the projects in a group. */
export const groupPackageList = list({
  id: 'packages.id',
  scope,
  filters: packageFilters,
  orders: {
    ...packageOrders,
    project_path: byExpression(({ direction }) => [
      [sql`(select lower(p.path) from projects p where p.id = packages.project_id)`, direction],
    ]),
  },
  lateRows: true,
  select: (db, ask) => {
    const rows = db.selectFrom('packages').selectAll('packages');
    if (ask.project !== undefined) return rows.where('packages.project_id', '=', ask.project);
    return rows.where(sql<SqlBool>`packages.project_id in (select p.id from projects p where ${isListed(ask)})`);
  },
});

/** Plans for listing a group's packages: as a whole, or project by project. */
export function packagesOfGroup(db: Reader, whole: GroupScope): ReadStrategies<GroupScope> {
  const projects = async () =>
    splitScopes<{ id: number }, GroupScope>(await listedIn.all(db, whole), whole, (found) => ({
      ...whole,
      project: found?.id ?? 0,
    }));
  return { whole, walked: async () => ({ scopes: await projects(), few: false }) };
}
