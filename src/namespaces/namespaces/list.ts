import { type SqlBool, sql } from 'kysely';
import { isAdmin, type SignedInActor } from '../../access/actor.ts';
import { Role } from '../../access/roles.ts';
import { namespaceSearch } from '../../access/search.ts';
import type { Reader } from '../../platform/database/database.ts';
import { contains } from '../../platform/database/expressions.ts';
import { form } from '../../platform/database/form.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { type Searching, searchFor, searchLists, searchValues } from '../../platform/database/search-index.ts';
import { shapedList } from '../../platform/database/shaped.ts';

export interface NamespaceFilter {
  readonly search?: string;
  readonly owned_only: boolean;
  readonly top_level_only: boolean;
  readonly full_path_search: boolean;
}

interface ListFilter extends Searching, Omit<NamespaceFilter, 'owned_only' | 'search'> {
  readonly search?: string | undefined;
  /** Whose namespaces; those of all without. */
  readonly user?: number | undefined;
  readonly least: number;
  readonly now: number;
}

const listFilter = form<ListFilter>()({
  values: ['user', 'least', 'now', 'search', ...searchValues],
  lists: searchLists,
});

const namespaceList = shapedList(listFilter, (db, { user, least, now, search, ...ask }, engine) => {
  const from = namespaceSearch.narrow(db.selectFrom('namespaces'), 'namespaces.id', ask, engine);
  let query = from.selectAll('namespaces').orderBy('namespaces.id');
  if (user) {
    // Their own, and the groups that they are a member of by name; one list, for the engine to start from.
    query = query.where(sql<SqlBool>`namespaces.id in (
      select id from namespaces where owner_id = ${user}
      union
      select namespace_id from members where user_id = ${user} and namespace_id is not null
        and access_level >= ${least} and (expires_at is null or expires_at > ${now}))`);
  }
  if (ask.top_level_only) query = query.where('namespaces.parent_id', 'is', null);
  if (!search) return query;
  const columns = ask.full_path_search
    ? (['namespaces.full_name', 'namespaces.full_path'] as const)
    : (['namespaces.name', 'namespaces.path'] as const);
  return query.where((eb) => eb.or(columns.map((column) => contains(eb.ref(column), search))));
});

/** The namespaces of the caller, or for administrators all of them, in the order of their numbers. */
export function listNamespaces(
  db: Reader,
  caller: SignedInActor,
  { owned_only, ...filter }: NamespaceFilter,
  slice: Slice,
) {
  const user = isAdmin(caller) && !owned_only ? undefined : caller.user.id;
  const least = owned_only ? Role.owner : Role.minimal;
  const search = filter.search || undefined;
  const listed = { ...filter, search, ...searchFor(search), user, least, now: Date.now() };
  return namespaceSearch.page(namespaceList, db, listed, slice);
}
