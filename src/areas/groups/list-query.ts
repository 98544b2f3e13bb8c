import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { type Actor, isAdmin, seesAll } from '../../access/actor.ts';
import { Role, Visibility, type VisibilityName } from '../../access/roles.ts';
import { memberGroups, relatedGroups, visibleGroups } from '../../access/visible.ts';
import type { Reader } from '../../platform/database/database.ts';
import { contains } from '../../platform/database/expressions.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { dayToInstant } from '../../platform/http/schema.ts';
import { hasAttributes } from '../custom-attributes/service.ts';
import { repositoryStorage } from './present.ts';

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

export type NamespacesBuilder = ExpressionBuilder<Tables, 'namespaces'>;
export type GroupCondition = (eb: NamespacesBuilder) => Expression<SqlBool>;

const none = sql<SqlBool>`1 = 0`;

const ownedBy = (user: number) => sql<SqlBool>`namespaces.id in (
  select namespace_id from members where user_id = ${user} and namespace_id is not null
    and access_level >= ${Role.owner} and (expires_at is null or expires_at > ${Date.now()}))`;

/** Whose groups a list is about: `owned` goes before `min_access_level`, and that before `all_available`. */
function inReach(eb: NamespacesBuilder, actor: Actor, filter: GroupFilter): Expression<SqlBool> {
  const { user } = actor;
  if (filter.owned) return user ? ownedBy(user.id) : none;
  if (user && filter.min_access_level !== undefined) return memberGroups(eb, user.id, filter.min_access_level);
  const everything = filter.all_available ?? seesAll(actor);
  return user && !everything ? relatedGroups(user.id) : visibleGroups(eb, actor);
}

/** The group or one above it is in a state. */
const selfOrAbove = (state: Expression<SqlBool>) => sql<SqlBool>`exists (
  select 1 from namespace_ancestors a join namespaces n on n.id = a.ancestor_id
  where a.namespace_id = namespaces.id and ${state})`;
const archivedAbove = selfOrAbove(sql`n.archived = 1`);
const inactiveAbove = selfOrAbove(sql`(n.archived = 1 or n.marked_for_deletion_at is not null)`);

function* narrowing(eb: NamespacesBuilder, actor: Actor, filter: GroupFilter): Generator<Expression<SqlBool>> {
  const { visibility, skip_groups, archived, active, marked_for_deletion_on, repository_storage } = filter;
  if (visibility) yield eb('namespaces.visibility', '=', Visibility[visibility]);
  if (skip_groups && skip_groups.length > 0) yield eb('namespaces.id', 'not in', [...skip_groups]);
  if (filter.top_level_only) yield eb('namespaces.parent_id', 'is', null);
  if (archived !== undefined) yield archived ? archivedAbove : eb.not(archivedAbove);
  if (active !== undefined) yield active ? eb.not(inactiveAbove) : inactiveAbove;
  if (marked_for_deletion_on !== undefined) {
    const start = dayToInstant(marked_for_deletion_on);
    yield eb('namespaces.marked_for_deletion_at', '>=', start);
    yield eb('namespaces.marked_for_deletion_at', '<', start + 86_400_000);
  }
  if (!isAdmin(actor)) return;
  if (repository_storage !== undefined && repository_storage !== repositoryStorage) yield none;
  if (filter.custom_attributes) yield hasAttributes('group', 'namespaces.id', filter.custom_attributes);
}

/** The groups that a filter leaves of those in the caller's reach; `within` narrows them to a place in the tree. */
export function groupsFor(db: Reader, actor: Actor, filter: GroupFilter, within?: GroupCondition) {
  let query = db
    .selectFrom('namespaces')
    .selectAll('namespaces')
    // Written out: an engine uses the indexes of groups alone only when it can read that it is about groups.
    .where('namespaces.kind', '=', sql.lit('group'))
    .where((eb) => inReach(eb, actor, filter))
    .where((eb) => eb.and([...narrowing(eb, actor, filter)]));
  const { search } = filter;
  if (search) {
    // In the whole tree the names of the groups above count too; in one group they would match everything.
    const columns = within
      ? (['namespaces.name', 'namespaces.path'] as const)
      : (['namespaces.full_name', 'namespaces.full_path'] as const);
    query = query.where((eb) => eb.or(columns.map((column) => contains(eb.ref(column), search))));
  }
  return within ? query.where(within) : query;
}

export interface GroupOrder {
  readonly order_by: 'name' | 'path' | 'id' | 'similarity';
  readonly sort: 'asc' | 'desc';
  readonly search?: string;
}

/** In the order asked for; `similarity` is by name where nothing is searched for. */
export function inOrder(query: ReturnType<typeof groupsFor>, { order_by, sort, search }: GroupOrder) {
  if (order_by === 'similarity' && search) {
    return query.orderBy(likeness(search)).orderBy('namespaces.name').orderBy('namespaces.id');
  }
  if (order_by === 'id') return query.orderBy('namespaces.id', sort);
  return query.orderBy(order_by === 'path' ? 'namespaces.path' : 'namespaces.name', sort).orderBy('namespaces.id');
}

/** The same name or path first, then those that begin with it, then those that hold it; shorter names before longer. */
function likeness(search: string) {
  const needle = search.toLowerCase();
  return sql`case
    when lower(namespaces.path) = ${needle} or lower(namespaces.name) = ${needle} then 0
    when substr(lower(namespaces.path), 1, length(${needle})) = ${needle}
      or substr(lower(namespaces.name), 1, length(${needle})) = ${needle} then 1
    else 2 end, length(namespaces.name)`;
}
