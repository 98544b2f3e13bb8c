import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { type Actor, isAdmin, seesAll } from '../../../access/actor.ts';
import { Role, Visibility, type VisibilityName } from '../../../access/roles.ts';
import { namespaceSearch } from '../../../access/search.ts';
import { memberGroups, relatedGroups, type Viewer, viewerOf, visibleGroups } from '../../../access/visible.ts';
import { hasAttributes, type Pairs } from '../../../people/custom-attributes/public.ts';
import { contains } from '../../../platform/database/expressions.ts';
import { type AskedOf, form } from '../../../platform/database/form.ts';
import { type Searching, searchFor, searchLists, searchValues } from '../../../platform/database/search-index.ts';
import { shapedList } from '../../../platform/database/shaped.ts';
import type { Tables } from '../../../platform/database/tables.ts';
import { dayToInstant } from '../../../platform/http/schema.ts';
import { repositoryStorage } from '../present.ts';

/** What a list of groups may be narrowed by. */
export interface GroupFilter {
  readonly all_available?: boolean;
  readonly owned?: boolean;
  readonly min_access_level?: number;
  readonly search?: string;
  readonly skip_groups?: readonly number[];
  readonly visibility?: VisibilityName;
  readonly top_level_only?: boolean;
  readonly archived?: boolean;
  readonly active?: boolean;
  readonly marked_for_deletion_on?: string;
  readonly repository_storage?: string;
  readonly custom_attributes?: Readonly<Record<string, string>>;
}

export interface GroupOrder {
  readonly order_by: 'name' | 'path' | 'id' | 'similarity';
  readonly sort: 'asc' | 'desc';
  readonly search?: string;
}

/** Where groups stand to the group that a list belongs to. */
export interface Within {
  readonly place: 'children' | 'descendants' | 'shared' | 'invited' | 'invited here' | 'invited above';
  readonly group: number;
}

/** A filter as one caller puts it. */
interface ListFilter extends Viewer, Searching, Partial<Within> {
  /** Whose groups it is about. */
  readonly reach: 'none' | 'owned' | 'member' | 'related' | 'visible';
  readonly least?: number | undefined;
  readonly visibility?: VisibilityName | undefined;
  readonly skip?: readonly number[] | undefined;
  readonly topLevel: boolean;
  readonly archived?: boolean | undefined;
  readonly active?: boolean | undefined;
  readonly marked?: string | undefined;
  readonly attributes?: Pairs | undefined;
  readonly search?: string | undefined;
  readonly by: GroupOrder['order_by'];
  readonly sort: 'asc' | 'desc';
}

const listFilter = form<ListFilter>()({
  values: ['user', 'now', 'group', 'least', 'marked', 'attributes', 'search', ...searchValues],
  lists: ['skip', ...searchLists],
});
type BoundFilter = AskedOf<typeof listFilter>;
type NamespacesBuilder = ExpressionBuilder<Tables, 'namespaces'>;

/** `owned` goes before `min_access_level`, and that before `all_available`. */
function reachOf(actor: Actor, { owned, min_access_level, all_available }: GroupFilter): ListFilter['reach'] {
  if (owned) return actor.user ? 'owned' : 'none';
  if (actor.user && min_access_level !== undefined) return 'member';
  return actor.user && !(all_available ?? seesAll(actor)) ? 'related' : 'visible';
}

/** What a filter means when this actor sends it. */
export function filterOf(
  actor: Actor,
  filter: GroupFilter,
  { order_by, sort }: GroupOrder,
  within?: Within,
): ListFilter {
  const { search, skip_groups, repository_storage, custom_attributes } = filter;
  const elsewhere = repository_storage !== undefined && repository_storage !== repositoryStorage;
  return {
    ...viewerOf(actor),
    ...within,
    reach: isAdmin(actor) && elsewhere ? 'none' : reachOf(actor, filter),
    least: filter.min_access_level,
    visibility: filter.visibility,
    skip: skip_groups && skip_groups.length > 0 ? skip_groups : undefined,
    topLevel: filter.top_level_only === true,
    archived: filter.archived,
    active: filter.active,
    marked: filter.marked_for_deletion_on,
    attributes: custom_attributes && isAdmin(actor) ? Object.entries(custom_attributes) : undefined,
    search: search || undefined,
    ...searchFor(search),
    by: order_by === 'similarity' && !search ? 'name' : order_by,
    sort,
  };
}

const none = sql<SqlBool>`1 = 0`;

function inReach(eb: NamespacesBuilder, filter: BoundFilter): Expression<SqlBool> {
  const { reach, user, now, least } = filter;
  if (reach === 'visible') return visibleGroups(eb, filter);
  if (reach === 'none' || user === undefined) return none;
  if (reach === 'member') return memberGroups(eb, user, least, now);
  if (reach === 'related') return relatedGroups(user, now);
  return sql<SqlBool>`namespaces.id in (
    select namespace_id from members where user_id = ${user} and namespace_id is not null
      and access_level >= ${Role.owner} and (expires_at is null or expires_at > ${now}))`;
}

function inPlace({ place, group, now }: BoundFilter): Expression<SqlBool> {
  const shareInForce = sql<SqlBool>`(s.expires_at is null or s.expires_at > ${now})`;
  if (place === 'children') return sql<SqlBool>`namespaces.parent_id = ${group}`;
  if (place === 'descendants') {
    return sql<SqlBool>`namespaces.id in (
      select namespace_id from namespace_ancestors where ancestor_id = ${group} and depth > 0)`;
  }
  if (place === 'shared') {
    return sql<SqlBool>`namespaces.id in (
      select s.namespace_id from group_shares s where s.with_namespace_id = ${group} and ${shareInForce})`;
  }
  const depth = { 'invited here': sql`a.depth = 0`, 'invited above': sql`a.depth > 0`, invited: sql`a.depth >= 0` };
  return sql<SqlBool>`namespaces.id in (
    select s.with_namespace_id from group_shares s join namespace_ancestors a on a.ancestor_id = s.namespace_id
    where a.namespace_id = ${group} and ${depth[place ?? 'invited']} and ${shareInForce})`;
}

/** The group or one above it is in a state. */
const selfOrAbove = (state: Expression<SqlBool>) => sql<SqlBool>`exists (
  select 1 from namespace_ancestors a join namespaces n on n.id = a.ancestor_id
  where a.namespace_id = namespaces.id and ${state})`;
const archivedAbove = selfOrAbove(sql`n.archived = 1`);
const inactiveAbove = selfOrAbove(sql`(n.archived = 1 or n.marked_for_deletion_at is not null)`);

function* narrowing(eb: NamespacesBuilder, filter: BoundFilter): Generator<Expression<SqlBool>> {
  const { visibility, skip, topLevel, archived, active, marked, attributes, search } = filter;
  if (visibility) yield eb('namespaces.visibility', '=', Visibility[visibility]);
  if (skip) yield eb('namespaces.id', 'not in', skip);
  if (topLevel) yield eb('namespaces.parent_id', 'is', null);
  if (archived !== undefined) yield archived ? archivedAbove : eb.not(archivedAbove);
  if (active !== undefined) yield active ? eb.not(inactiveAbove) : inactiveAbove;
  if (marked) {
    yield eb('namespaces.marked_for_deletion_at', '>=', marked.to(dayToInstant));
    yield eb(
      'namespaces.marked_for_deletion_at',
      '<',
      marked.to((day) => dayToInstant(day) + 86_400_000),
    );
  }
  if (attributes) yield hasAttributes('group', 'namespaces.id', attributes);
  if (search) {
    // In the whole tree the names of the groups above count too; in one group they would match everything.
    const columns = filter.place
      ? (['namespaces.name', 'namespaces.path'] as const)
      : (['namespaces.full_name', 'namespaces.full_path'] as const);
    yield eb.or(columns.map((column) => contains(eb.ref(column), search)));
  }
  if (filter.place) yield inPlace(filter);
}

/** The groups that a filter leaves of those in the caller's reach, in the order asked for. */
export const groupList = shapedList(listFilter, (db, filter, engine) => {
  const query = namespaceSearch
    .narrow(db.selectFrom('namespaces'), 'namespaces.id', filter, engine)
    .selectAll('namespaces')
    // Written out: an engine uses the indexes of groups alone only when it can read that it is about groups.
    .where('namespaces.kind', '=', sql.lit('group'))
    .where((eb) => inReach(eb, filter))
    .where((eb) => eb.and([...narrowing(eb, filter)]));
  const { by, sort, search } = filter;
  if (by === 'id') return query.orderBy('namespaces.id', sort);
  if (by === 'similarity' && search) {
    return query.orderBy(likeness(search)).orderBy('namespaces.name').orderBy('namespaces.id');
  }
  return query.orderBy(by === 'path' ? 'namespaces.path' : 'namespaces.name', sort).orderBy('namespaces.id');
});

/** The same name or path first, then those that begin with it, then those that hold it; shorter names before longer. */
function likeness(search: NonNullable<BoundFilter['search']>) {
  const needle = search.to((text) => text.toLowerCase());
  return sql`case
    when lower(namespaces.path) = ${needle} or lower(namespaces.name) = ${needle} then 0
    when substr(lower(namespaces.path), 1, length(${needle})) = ${needle}
      or substr(lower(namespaces.name), 1, length(${needle})) = ${needle} then 1
    else 2 end, length(namespaces.name)`;
}
