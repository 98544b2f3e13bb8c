import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { mayReadRegistry } from '../../../access/visibility/registry-access.ts';
import type { Viewer } from '../../../access/visibility/visible.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { type BoundFilterOf, boundProperties } from '../../../platform/database/form.ts';
import { rawQuery, shapedQuery } from '../../../platform/database/shaped.ts';
import type { ReadStrategies } from '../../../platform/list-kit/declaration.ts';
import { list } from '../../../platform/list-kit/list.ts';
import { byId } from '../../../platform/list-kit/order.ts';
import { maxSplitScopes, splitScopes } from '../../../platform/list-kit/split-scopes.ts';

interface GroupScope extends Viewer {
  readonly group: number;
  /** Restricts the list to one project the caller can read. */
  readonly project?: number | undefined;
}

const scope = boundProperties<GroupScope>()({ values: ['group', 'user', 'now', 'project'] });
type Scope = BoundFilterOf<typeof scope>;

/** Whether images of project `p` are listed. */
const isListed = (ask: Scope): RawBuilder<SqlBool> =>
  sql`p.namespace_id in (select namespace_id from namespace_ancestors where ancestor_id = ${ask.group})
    and ${mayReadRegistry('container_registry_access_level', ask)}`;

const listedIn = shapedQuery(scope, (db, ask: Scope) =>
  rawQuery<{ id: number }>(
    db,
    sql`select p.id from projects p
      where ${isListed(ask)} and exists (select 1 from registry_repositories r where r.project_id = p.id)
      limit ${sql.lit(maxSplitScopes + 1)}`,
  ),
);

/** The container repositories of projects in a group and its subgroups. */
export const groupRepositoryList = list({
  id: 'registry_repositories.id',
  scope,
  filters: {},
  orders: { id: byId },
  lateRows: true,
  select: (db, ask) => {
    const rows = db.selectFrom('registry_repositories').selectAll('registry_repositories');
    if (ask.project !== undefined) return rows.where('registry_repositories.project_id', '=', ask.project);
    return rows.where(
      sql<SqlBool>`registry_repositories.project_id in (select p.id from projects p where ${isListed(ask)})`,
    );
  },
});

/** Plans for listing a group's repositories: as a whole, or project by project. */
export function repositoriesOfGroup(db: Reader, whole: GroupScope): ReadStrategies<GroupScope> {
  const projects = async () =>
    splitScopes<{ id: number }, GroupScope>(await listedIn.all(db, whole), whole, (found) => ({
      ...whole,
      project: found?.id ?? 0,
    }));
  return { whole, walked: async () => ({ scopes: await projects(), few: false }) };
}
