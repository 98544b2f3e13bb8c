import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { Role, Visibility } from '../../../access/roles.ts';
import type { Project } from '../../../access/tables.ts';
import { memberProjectIds, type Viewer } from '../../../access/visibility/visible.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { type BoundFilterOf, form } from '../../../platform/database/form.ts';
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

const said = (word: string): Condition =>
  sql`p.settings like ${sql.lit(`%"package_registry_access_level":"${word}"%`)}`;

/** What `read_package` says of a project `p`: where it is private, or its packages are kept to members, Reporters read. */
function readable({ sees, user, now }: BoundFilterOf<typeof scope>): Condition {
  const on: Condition = sql`not ${said('disabled')}`;
  if (sees === 'all') return on;
  const open: Condition = sql`(p.visibility >= ${sql.lit(Visibility[sees])} and not ${said('private')})`;
  if (user === undefined) return sql`${on} and ${open}`;
  return sql`${on} and (${open} or p.id in (${memberProjectIds(user, Role.reporter, now)}))`;
}

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
      .where(sql<SqlBool>`packages.project_id in (select p.id from projects p where ${inside} and ${readable(ask)})`);
  },
});

export function projectsById(db: Reader, ids: readonly number[]): Promise<Project[]> {
  return db
    .selectFrom('projects')
    .selectAll()
    .where('id', 'in', [...ids])
    .execute();
}
