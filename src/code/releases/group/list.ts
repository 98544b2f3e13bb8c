import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Project } from '../../../access/tables.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { type BoundFilterOf, boundProperties } from '../../../platform/database/form.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { rawQuery, shapedQuery } from '../../../platform/database/shaped.ts';
import { list } from '../../../platform/list-kit/list.ts';
import { byColumn } from '../../../platform/list-kit/order.ts';
import { maxSplitScopes, splitScopes } from '../../../platform/list-kit/split-scopes.ts';
import '../tables.ts';

interface GroupScope {
  readonly group: number;
  /** Restricts the list to one project of the group. */
  readonly project?: number | undefined;
}

const scope = boundProperties<GroupScope>()({ values: ['group', 'project'] });
type Scope = BoundFilterOf<typeof scope>;

/**
 * Whether releases of project `p` are listed. Roles in a group are inherited by its projects, so only disabled features
 * are filtered.
 */
const isListed = ({ group }: Scope): RawBuilder<SqlBool> =>
  sql`p.namespace_id = ${group} and p.settings not like '%"releases_access_level":"disabled"%'`;

const listedIn = shapedQuery(scope, (db, ask: Scope) =>
  rawQuery<{ id: number }>(
    db,
    sql`select p.id from projects p
      where ${isListed(ask)} and exists (select 1 from releases r where r.project_id = p.id)
      limit ${sql.lit(maxSplitScopes + 1)}`,
  ),
);

const groupReleaseList = list({
  id: 'releases.id',
  scope,
  filters: {},
  orders: { released_at: byColumn('releases.released_at', 'integer') },
  lateRows: true,
  select: (db, ask) => {
    const rows = db.selectFrom('releases').selectAll('releases');
    if (ask.project !== undefined) return rows.where('releases.project_id', '=', ask.project);
    return rows.where(sql<SqlBool>`releases.project_id in (select p.id from projects p where ${isListed(ask)})`);
  },
});

/** Lists the releases of a group's own projects, merged from the lists of the individual projects. */
export async function listReleasesOfGroup(db: Reader, group: number, direction: 'asc' | 'desc', slice: Slice) {
  const groupScope: GroupScope = { group };
  const scopes = splitScopes<{ id: number }, GroupScope>(await listedIn.all(db, groupScope), groupScope, (found) => ({
    group,
    project: found?.id ?? 0,
  }));
  return groupReleaseList.page(db, scopes, {}, { by: 'released_at', direction }, slice);
}

export function projectsById(db: Reader, ids: readonly number[]): Promise<Project[]> {
  return db.selectFrom('projects').selectAll().where('id', 'in', ids).execute();
}
