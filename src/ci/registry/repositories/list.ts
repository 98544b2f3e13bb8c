import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { Role, Visibility } from '../../../access/roles.ts';
import type { Project } from '../../../access/tables.ts';
import { memberProjectIds, type Viewer } from '../../../access/visibility/visible.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { type BoundFilterOf, form } from '../../../platform/database/form.ts';
import { list } from '../../../platform/list-kit/list.ts';
import { byId } from '../../../platform/list-kit/order.ts';

type Condition = RawBuilder<SqlBool>;

interface GroupScope extends Viewer {
  readonly group: number;
}

const scope = form<GroupScope>()({ values: ['group', 'user', 'now'] });

const said = (word: string): Condition =>
  sql`p.settings like ${sql.lit(`%"container_registry_access_level":"${word}"%`)}`;

/** What `read_container_image` says of a project `p`: where it is private, or its images kept to members, Reporters read. */
function readable({ sees, user, now }: BoundFilterOf<typeof scope>): Condition {
  const on: Condition = sql`not ${said('disabled')}`;
  if (sees === 'all') return on;
  const open: Condition = sql`(p.visibility >= ${sql.lit(Visibility[sees])} and not ${said('private')})`;
  if (user === undefined) return sql`${on} and ${open}`;
  return sql`${on} and (${open} or p.id in (${memberProjectIds(user, Role.reporter, now)}))`;
}

/** The repositories of images of the projects in and below a group. */
export const groupRepositoryList = list({
  id: 'registry_repositories.id',
  scope,
  filters: {},
  orders: { id: byId },
  select: (db, ask) =>
    db
      .selectFrom('registry_repositories')
      .selectAll('registry_repositories')
      .where(
        sql<SqlBool>`registry_repositories.project_id in (select p.id from projects p
          where p.namespace_id in (select namespace_id from namespace_ancestors where ancestor_id = ${ask.group})
            and ${readable(ask)})`,
      ),
});

export function projectsById(db: Reader, ids: readonly number[]): Promise<Project[]> {
  return db
    .selectFrom('projects')
    .selectAll()
    .where('id', 'in', [...ids])
    .execute();
}
