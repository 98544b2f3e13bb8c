import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { type Actor, isAdmin } from '../../../access/actor.ts';
import { Role } from '../../../access/roles.ts';
import { namespaceSearch } from '../../../access/search.ts';
import type { Namespace } from '../../../access/tables.ts';
import { memberGroups } from '../../../access/visibility/visible.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { type BoundFilterOf, boundProperties } from '../../../platform/database/form.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import type { Tables } from '../../../platform/database/tables.ts';
import { list } from '../../../platform/list-kit/list.ts';
import { byColumn } from '../../../platform/list-kit/order.ts';
import { searchFilters } from '../../../platform/list-kit/searching.ts';

interface LocationScope {
  readonly group: number;
  readonly parent: number | null;
  readonly admin: boolean;
  /** A user who may own groups. */
  readonly user?: number | undefined;
  readonly now: number;
}

const locationScope = boundProperties<LocationScope>()({ values: ['group', 'parent', 'user', 'now'] });

// Settings are stored as compact JSON, and a quote inside a string would be escaped, so this pattern matches only the
// key.
const ownersOnly = sql<SqlBool>`namespaces.settings like '%"subgroup_creation_level":"owner"%'`;

/** Condition for groups in which the actor may create subgroups. */
function takesSubgroups(
  eb: ExpressionBuilder<Tables, 'namespaces'>,
  { admin, user, now }: BoundFilterOf<typeof locationScope>,
): Expression<SqlBool> {
  if (admin) return sql<SqlBool>`1 = 1`;
  if (!user) return sql<SqlBool>`1 = 0`;
  return eb.or([
    memberGroups(eb, user, Role.owner, now),
    eb.and([memberGroups(eb, user, Role.maintainer, now), eb.not(ownersOnly)]),
  ]);
}

const locations = list({
  id: 'namespaces.id',
  scope: locationScope,
  filters: {
    search: searchFilters({
      index: namespaceSearch,
      columns: { name: 'namespaces.full_name', path: 'namespaces.full_path' },
      byWords: true,
    }).search,
  },
  orders: { name: byColumn('namespaces.name', 'text') },
  select: (db, scope) => {
    const query = db
      .selectFrom('namespaces')
      .selectAll('namespaces')
      .where('namespaces.kind', '=', sql.lit('group'))
      .where((eb) => takesSubgroups(eb, scope))
      .where(sql<SqlBool>`namespaces.id not in (
        select namespace_id from namespace_ancestors where ancestor_id = ${scope.group})`);
    return scope.parent ? query.where('namespaces.id', '!=', scope.parent) : query;
  },
});

/** Returns a page of groups to which the group can be transferred. */
export function transferLocations(
  db: Reader,
  actor: Actor,
  group: Namespace,
  search: string | undefined,
  page: Slice,
): Promise<{ rows: Namespace[]; total: number }> {
  const user = actor.user?.external === 0 ? actor.user.id : undefined;
  const scope = { group: group.id, parent: group.parent_id, admin: isAdmin(actor), user, now: Date.now() };
  return locations.page(db, scope, { search }, { by: 'name', direction: 'asc' }, page);
}
