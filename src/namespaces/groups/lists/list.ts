import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { Role, Visibility, type VisibilityName } from '../../../access/roles.ts';
import { namespaceSearch } from '../../../access/search.ts';
import {
  isGroupVisibleWithoutRole,
  levelsVisibleWithoutRole,
  memberGroups,
  relatedGroupIds,
  relatedGroups,
  type Viewer,
  visibleGroups,
} from '../../../access/visibility/visible.ts';
import { hasAttributes } from '../../../people/custom-attributes/public.ts';
import type { Bound as BoundValue } from '../../../platform/database/bound.ts';
import type { Reader } from '../../../platform/database/database.ts';
import type { Engine } from '../../../platform/database/engine.ts';
import { idAt, isInIds } from '../../../platform/database/expressions.ts';
import { type BoundFilterOf, boundProperties } from '../../../platform/database/form.ts';
import { maxLookedUpRows } from '../../../platform/database/search-index.ts';
import { type Param as Placeholder, statement } from '../../../platform/database/statement.ts';
import type { Tables } from '../../../platform/database/tables.ts';
import { param, withDefault } from '../../../platform/http/params.ts';
import { dayToInstant } from '../../../platform/http/schema.ts';
import type { ReadStrategies } from '../../../platform/list-kit/declaration.ts';
import type { Filter } from '../../../platform/list-kit/filter.ts';
import { choice, flag, matches, whenTrue } from '../../../platform/list-kit/filters.ts';
import { list } from '../../../platform/list-kit/list.ts';
import { byColumn, byExpression, byId, type OrderKey } from '../../../platform/list-kit/order.ts';
import { searchFilters } from '../../../platform/list-kit/searching.ts';
import { type StoredCount, storedCount } from '../../../platform/list-kit/stored-count.ts';

/** Relation of the listed groups to the group that the list belongs to. */
export interface GroupRelation {
  readonly place: 'children' | 'descendants' | 'shared' | 'invited' | 'invited here' | 'invited above';
  readonly group: number;
}

/** Viewer, place and reach of a group list. */
export interface GroupScope extends Viewer, Partial<GroupRelation> {
  readonly reach: 'none' | 'owned' | 'member' | 'related' | 'visible';
  /** Minimum access level of the viewer. */
  readonly least?: number | undefined;
  /**
   * How the viewer's own groups are read: if there are few, the list starts from them; if there are many, their ids are
   * collected and checked while the list is read in order.
   */
  readonly own?: 'few' | 'many' | undefined;
  /** A partition of the visible groups: those of one visibility level open to the viewer, or the `guarded` rest. */
  readonly part?: number | 'guarded' | undefined;
}

const groupScope = boundProperties<GroupScope>()({ values: ['user', 'now', 'group', 'least'] });
type Bound = BoundFilterOf<typeof groupScope>;
type NamespacesBuilder = ExpressionBuilder<Tables, 'namespaces'>;

const none = sql<SqlBool>`1 = 0`;

function inReach(eb: NamespacesBuilder, scope: Bound, engine: Engine): Expression<SqlBool> {
  const { reach, user, now, least, own, part } = scope;
  if (typeof part === 'number') return eb('namespaces.visibility', '=', sql.lit(part));
  if (part === 'guarded') {
    return eb.and([eb.not(isGroupVisibleWithoutRole(eb, scope)), inReach(eb, { ...scope, part: undefined }, engine)]);
  }
  if (own === 'few' && user) return isInIds(sql.ref<number>('namespaces.id'), relatedGroupIds(user, now), engine);
  // Written so that no engine can start from this condition: it has to scan in the order of the list.
  if (own === 'many' && user) return sql<SqlBool>`(namespaces.id in (${relatedGroupIds(user, now)})) is true`;
  if (reach === 'visible') return visibleGroups(eb, scope);
  if (reach === 'none' || user === undefined) return none;
  if (reach === 'member') return memberGroups(eb, user, least, now);
  if (reach === 'related') return relatedGroups(user, now);
  return sql<SqlBool>`namespaces.id in (
    select namespace_id from members where user_id = ${user} and namespace_id is not null
      and access_level >= ${Role.owner} and (expires_at is null or expires_at > ${now}))`;
}

function inPlace({ place, group, now }: Bound): Expression<SqlBool> {
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

/** Whether the group or one of its ancestors is in a given state. */
const selfOrAbove = (state: Expression<SqlBool>) => sql<SqlBool>`exists (
  select 1 from namespace_ancestors a join namespaces n on n.id = a.ancestor_id
  where a.namespace_id = namespaces.id and ${state})`;
const archivedAbove = selfOrAbove(sql`n.archived = 1`);
const inactiveAbove = selfOrAbove(sql`(n.archived = 1 or n.marked_for_deletion_at is not null)`);

const visible = (name: VisibilityName) => sql<SqlBool>`namespaces.visibility = ${sql.lit(Visibility[name])}`;

// Across the whole hierarchy the ancestors' names are searched too; inside one group they would match everything.
const inTree = searchFilters({
  index: namespaceSearch,
  columns: { name: 'namespaces.full_name', path: 'namespaces.full_path' },
  byWords: true,
}).search;
const inGroup = searchFilters({
  columns: { name: 'namespaces.name', path: 'namespaces.path' },
  byWords: true,
}).search;
const search: Filter<typeof inTree.param, Bound, false> = {
  ...inTree,
  condition: (given, scope, engine) => (scope.place ? inGroup : inTree).condition(given, scope, engine),
};

const skipped = param.integers();
const skip: Filter<typeof skipped, unknown, false> = {
  param: skipped,
  negatable: false,
  read: (sent: readonly number[]) => (sent.length === 0 ? undefined : { list: sent }),
  condition: ({ list: ids }) => sql`namespaces.id not in ${ids}`,
};

const attributes = param.map({ description: 'Administrators only' });
const withAttributes: Filter<typeof attributes, unknown, false> = {
  param: attributes,
  negatable: false,
  read: (sent: Readonly<Record<string, string>>) => ({ values: Object.entries(sent).flat() }),
  condition: ({ values }) => {
    const texts = values as readonly BoundValue<string>[];
    const keys = texts.filter((_, index) => index % 2 === 0);
    const pairs = keys.map((key, index) => [key, texts[2 * index + 1] as BoundValue<string>]);
    return hasAttributes('group', 'namespaces.id', pairs);
  },
};

const day = 86_400_000;

/** Stored counts of the groups visible to every viewer with a given reach. */
function known({ place, part, reach, sees }: Bound): StoredCount | undefined {
  if (place) return undefined;
  const levels = part === undefined && reach === 'visible' && sees === 'all' ? Object.values(Visibility) : [part];
  const totals = levels.flatMap((level) => (typeof level === 'number' ? [storedCount(`groups.${level}`)] : []));
  return totals.length === 0 ? undefined : sql`${sql.join(totals, sql` + `)}`;
}

/** Groups within the reach of the viewer. */
export const groupList = list({
  id: 'namespaces.id',
  part: sql`namespaces.kind = 'group'`,
  scope: groupScope,
  lateRows: true,
  kept: known,
  isWide: ({ reach, sees, place }) => reach === 'visible' && sees === 'all' && place === undefined,
  filters: {
    archived: flag(archivedAbove, { otherwise: sql`not ${archivedAbove}` }),
    skip_groups: skip,
    visibility: choice({
      private: visible('private'),
      internal: visible('internal'),
      public: visible('public'),
    }),
    search,
    top_level_only: whenTrue(sql`namespaces.parent_id is null`, withDefault(param.boolean(), false)),
    marked_for_deletion_on: matches(
      param.date(),
      (on) => sql`namespaces.marked_for_deletion_at >= ${on.to(dayToInstant)}
        and namespaces.marked_for_deletion_at < ${on.to((text) => dayToInstant(text) + day)}`,
    ),
    active: flag(sql`not ${inactiveAbove}`, { otherwise: inactiveAbove }),
    custom_attributes: withAttributes,
  },
  orders: {
    name: byColumn('namespaces.name', 'text', 'asc'),
    path: byColumn('namespaces.path', 'text', 'asc'),
    id: byId,
    similarity: byExpression(({ filters }) => likeness(filters.search?.values[0] as BoundValue<string>), 'asc'),
  },
  select: (db, scope, engine) => {
    const query = db
      .selectFrom('namespaces')
      .selectAll('namespaces')
      // A literal: the engines use the partial indexes on groups only if the condition is visible in the query text.
      .where('namespaces.kind', '=', sql.lit('group'))
      .where((eb) => inReach(eb, scope, engine));
    return scope.place ? query.where(inPlace(scope)) : query;
  },
});

/** Orders by similarity: exact matches of name or path, then prefix matches, then the rest; shorter names first. */
function likeness(search: BoundValue<string>): OrderKey[] {
  const needle = search.to((text) => text.toLowerCase());
  const rank = sql`case
    when lower(namespaces.path) = ${needle} or lower(namespaces.name) = ${needle} then 0
    when substr(lower(namespaces.path), 1, length(${needle})) = ${needle}
      or substr(lower(namespaces.name), 1, length(${needle})) = ${needle} then 1
    else 2 end`;
  return [
    [rank, 'asc'],
    [sql`length(namespaces.name)`, 'asc'],
    [sql.ref('namespaces.name'), 'asc'],
  ];
}

/**
 * Up to this number of own groups a list starts from them; above it the list is scanned in order, which soon finds
 * matches.
 */
const maxOwn = 5000;

const groupsOfUser = statement((db, value: Placeholder<{ user: number; now: number }>) => {
  const mine = relatedGroupIds(value('user'), value('now'));
  return db.selectNoFrom([idAt(mine, 0).as('first'), idAt(mine, maxOwn).as('beyond')]);
});

const isLarge = statement((db, value: Placeholder<{ group: number }>) =>
  db
    .selectFrom('namespace_ancestors')
    .select('namespace_id')
    .where('ancestor_id', '=', value('group'))
    .offset(maxLookedUpRows)
    .limit(1),
);

/** Whether a list has few groups for any viewer. */
async function isShort(db: Reader, { place, group }: GroupScope): Promise<boolean> {
  if (place === undefined || group === undefined) return false;
  const below = place === 'children' || place === 'descendants';
  return !below || (await isLarge.first(db, { group })) === undefined;
}

/**
 * Chooses how a group list is read: in one query, or split into the groups visible to everyone and those the viewer has
 * a role in.
 */
export function planList(db: Reader, whole: GroupScope): GroupScope | ReadStrategies<GroupScope> {
  const { reach, sees, user, now } = whole;
  const mine = user !== undefined && (reach === 'related' || (reach === 'visible' && sees !== 'all'));
  if (!mine) return whole;
  const walked = async () => {
    if (await isShort(db, whole)) return { scopes: [whole], few: true };
    const { first = null, beyond = null } = (await groupsOfUser.first(db, { user, now })) ?? {};
    const few = beyond === null;
    const own = { ...whole, own: few ? ('few' as const) : ('many' as const) };
    if (reach === 'related') return { scopes: [own], few };
    // Groups are indexed in order per visibility level.
    const open = levelsVisibleWithoutRole(whole).map((part) => ({ ...whole, part }));
    return { scopes: first === null ? open : [...open, { ...own, part: 'guarded' as const }], few: false };
  };
  return { whole, walked };
}
