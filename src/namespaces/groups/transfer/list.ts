import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { type Actor, isAdmin } from '../../../access/actor.ts';
import { Role } from '../../../access/roles.ts';
import { namespaceSearch } from '../../../access/search.ts';
import type { Namespace } from '../../../access/tables.ts';
import { memberGroups } from '../../../access/visibility/visible.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { contains } from '../../../platform/database/expressions.ts';
import { type AskedOf, form } from '../../../platform/database/form.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { type Searching, searchFor, searchLists, searchValues } from '../../../platform/database/search-index.ts';
import { shapedList } from '../../../platform/database/shaped.ts';
import type { Tables } from '../../../platform/database/tables.ts';

interface LocationFilter extends Searching {
  readonly group: number;
  readonly parent: number | null;
  readonly admin: boolean;
  /** Someone who may own groups. */
  readonly user?: number | undefined;
  readonly now: number;
  readonly search?: string | undefined;
}

const locationFilter = form<LocationFilter>()({
  values: ['group', 'parent', 'user', 'now', 'search', ...searchValues],
  lists: searchLists,
});

// Settings are packed by us, without spaces, and a quote inside a text would be escaped: this is found only as the key.
const leavesItToOwners = sql<SqlBool>`namespaces.settings like '%"subgroup_creation_level":"owner"%'`;

/** Groups in which the actor may create subgroups. */
function takesSubgroups(
  eb: ExpressionBuilder<Tables, 'namespaces'>,
  { admin, user, now }: AskedOf<typeof locationFilter>,
): Expression<SqlBool> {
  if (admin) return sql<SqlBool>`1 = 1`;
  if (!user) return sql<SqlBool>`1 = 0`;
  return eb.or([
    memberGroups(eb, user, Role.owner, now),
    eb.and([memberGroups(eb, user, Role.maintainer, now), eb.not(leavesItToOwners)]),
  ]);
}

const locations = shapedList(locationFilter, (db, filter, engine) => {
  const { group, parent, search } = filter;
  let query = namespaceSearch
    .narrow(db.selectFrom('namespaces'), 'namespaces.id', filter, engine)
    .selectAll('namespaces')
    .where('namespaces.kind', '=', sql.lit('group'))
    .where((eb) => takesSubgroups(eb, filter))
    .where(sql<SqlBool>`namespaces.id not in (
      select namespace_id from namespace_ancestors where ancestor_id = ${group})`);
  if (parent) query = query.where('namespaces.id', '!=', parent);
  if (search) {
    query = query.where((eb) =>
      eb.or([contains(eb.ref('namespaces.full_name'), search), contains(eb.ref('namespaces.full_path'), search)]),
    );
  }
  return query.orderBy('namespaces.name').orderBy('namespaces.id');
});

/** A page of the groups that one can be moved into. */
export function transferLocations(
  db: Reader,
  actor: Actor,
  group: Namespace,
  search: string | undefined,
  page: Slice,
): Promise<{ rows: Namespace[]; total: number }> {
  const user = actor.user?.external === 0 ? actor.user.id : undefined;
  const place = { group: group.id, parent: group.parent_id, admin: isAdmin(actor), user, now: Date.now() };
  const filter = { ...place, search: search || undefined, ...searchFor(search) };
  return namespaceSearch.page(locations, db, filter, page);
}
