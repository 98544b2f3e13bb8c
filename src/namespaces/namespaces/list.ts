import { type SqlBool, sql } from 'kysely';
import { isAdmin, type SignedInActor } from '../../access/actor.ts';
import { Role } from '../../access/roles.ts';
import { namespaceSearch } from '../../access/search.ts';
import type { Reader } from '../../platform/database/database.ts';
import { type BoundFilterOf, boundProperties } from '../../platform/database/form.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { type ParamsOf, param, withDefault } from '../../platform/http/params.ts';
import type { Filter } from '../../platform/list-kit/filter.ts';
import { whenTrue } from '../../platform/list-kit/filters.ts';
import { list } from '../../platform/list-kit/list.ts';
import { byId } from '../../platform/list-kit/order.ts';
import { searchFilters } from '../../platform/list-kit/searching.ts';

interface NamespaceScope {
  /** Owner or member whose namespaces are listed; all namespaces if absent. */
  readonly user?: number | undefined;
  /** Minimum access level in groups. */
  readonly least: number;
  readonly now: number;
  /** Whether a search also matches full paths. */
  readonly fullPaths: boolean;
}

const namespaceScope = boundProperties<NamespaceScope>()({ values: ['user', 'least', 'now'] });

const inFull = searchFilters({
  index: namespaceSearch,
  columns: { name: 'namespaces.full_name', path: 'namespaces.full_path' },
  byWords: true,
}).search;
const inOwn = searchFilters({
  columns: { name: 'namespaces.name', path: 'namespaces.path' },
  byWords: true,
}).search;
const search: Filter<typeof inFull.param, BoundFilterOf<typeof namespaceScope>, false> = {
  ...inFull,
  condition: (given, scope, engine) => (scope.fullPaths ? inFull : inOwn).condition(given, scope, engine),
};

export const namespaceList = list({
  id: 'namespaces.id',
  scope: namespaceScope,
  filters: {
    search,
    top_level_only: whenTrue(sql`namespaces.parent_id is null`, withDefault(param.boolean(), false)),
  },
  orders: { id: byId },
  select: (db, { user, least, now }) => {
    const query = db.selectFrom('namespaces').selectAll('namespaces');
    if (!user) return query;
    // The personal namespace and the groups with a direct membership, as one id list that the engine starts from.
    return query.where(sql<SqlBool>`namespaces.id in (
      select id from namespaces where owner_id = ${user}
      union
      select namespace_id from members where user_id = ${user} and namespace_id is not null
        and access_level >= ${least} and (expires_at is null or expires_at > ${now}))`);
  },
});

/** Filter parameters of namespace lists. */
export type NamespaceFilter = ParamsOf<typeof namespaceList.params> & {
  readonly owned_only: boolean;
  readonly full_path_search: boolean;
};

/** Lists the namespaces of the caller, or all for administrators, ordered by id. */
export function listNamespaces(
  db: Reader,
  caller: SignedInActor,
  { owned_only, full_path_search: fullPaths, search: text, top_level_only }: NamespaceFilter,
  slice: Slice,
) {
  const user = isAdmin(caller) && !owned_only ? undefined : caller.user.id;
  const least = owned_only ? Role.owner : Role.minimal;
  const scope = { user, least, now: Date.now(), fullPaths };
  const order = { by: 'id', direction: 'asc' } as const;
  return namespaceList.page(db, scope, { search: text, top_level_only }, order, slice);
}
