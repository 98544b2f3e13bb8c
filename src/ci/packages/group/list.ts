import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { readsKept } from '../../../access/visibility/kept-to-members.ts';
import type { Viewer } from '../../../access/visibility/visible.ts';
import { form } from '../../../platform/database/form.ts';
import { list } from '../../../platform/list-kit/list.ts';
import { byColumn, byExpression, byId, byNullable } from '../../../platform/list-kit/order.ts';
import { packageFilters } from '../list.ts';

type Condition = RawBuilder<SqlBool>;

interface GroupScope extends Viewer {
  readonly group: number;
  /** Of the group's own projects alone. */
  readonly alone: boolean;
}

const scope = form<GroupScope>()({ values: ['group', 'user', 'now'] });

/** The packages of the projects in a group. */
export const groupPackageList = list({
  id: 'packages.id',
  scope,
  filters: packageFilters,
  orders: {
    created_at: byId,
    name: byColumn('packages.name', 'text'),
    version: byNullable('packages.version'),
    type: byColumn('packages.package_type', 'text'),
    project_path: byExpression(({ direction }) => [
      [sql`(select lower(p.path) from projects p where p.id = packages.project_id)`, direction],
    ]),
  },
  select: (db, ask) => {
    const inside: Condition = ask.alone
      ? sql`p.namespace_id = ${ask.group}`
      : sql`p.namespace_id in (select namespace_id from namespace_ancestors where ancestor_id = ${ask.group})`;
    return db
      .selectFrom('packages')
      .selectAll('packages')
      .where(
        sql<SqlBool>`packages.project_id in (select p.id from projects p where ${inside} and ${readsKept('package_registry_access_level', ask)})`,
      );
  },
});
