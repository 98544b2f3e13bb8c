import { type Expression, type SqlBool, sql } from 'kysely';
import type { Bound } from '../../../platform/database/bound.ts';
import type { Engine } from '../../../platform/database/engine.ts';
import { sameIgnoringCase, type Text } from '../../../platform/database/expressions.ts';
import { type BoundFilterOf, boundProperties } from '../../../platform/database/form.ts';
import { param, withDefault } from '../../../platform/http/params.ts';
import type { BoundMeaning, Condition, Filter } from '../../../platform/list-kit/filter.ts';
import type { FilterValues } from '../../../platform/list-kit/filter-set.ts';
import { choice, compare, equals, excludes, matches, whenTrue } from '../../../platform/list-kit/filters.ts';
import { type List, list } from '../../../platform/list-kit/list.ts';
import { byColumn, byExpression, byId } from '../../../platform/list-kit/order.ts';
import type { StoredCount } from '../../../platform/list-kit/stored-count.ts';
import { hasAttributes } from '../../custom-attributes/public.ts';
import { rankOf, search, term } from './search-list.ts';
import { basicColumns, profiles } from './store.ts';

/** Viewer of a user list. */
export interface UserScope {
  readonly viewer: number;
  /** Administrators and auditors can search private e-mail addresses. */
  readonly privileged: boolean;
  /** Other users see blocked users only on request. */
  readonly hidesBlocked: boolean;
}

const scope = boundProperties<UserScope>()({ values: ['viewer'] });

/** The redundant null check lets SQLite use the partial index on public e-mail addresses. */
export function hasPublicEmail(column: Expression<string | null>, email: Text): Expression<SqlBool> {
  return sql<SqlBool>`(${column} is not null and ${sameIgnoringCase(column, email)})`;
}

type TextParam = ReturnType<typeof param.string>;

/** Only effective together: they identify one identity. */
const extern_uid: Filter<TextParam, unknown, false> = {
  param: param.string(),
  negatable: false,
  read: (uid: string, { provider }) => (typeof provider === 'string' ? { values: [uid, provider] } : undefined),
  condition: ({ values: [uid, provider] }) => sql`exists (select 1 from identities i
    where i.user_id = users.id and i.provider = ${provider} and i.extern_uid = ${uid})`,
};
const provider: typeof extern_uid = { ...extern_uid, read: () => undefined };

const attributes: Filter<ReturnType<typeof param.map>, unknown, false> = {
  param: param.map({ description: 'custom_attributes[key]=value; all must match' }),
  negatable: false,
  read: (sent: Readonly<Record<string, string>>) => {
    const values = Object.entries(sent).flat();
    return values.length === 0 ? undefined : { values };
  },
  condition: ({ values }) => {
    const texts = values as readonly Bound<string>[];
    const pairs = texts.flatMap((key, index) => (index % 2 === 0 ? [[key, texts[index + 1] as Bound<string>]] : []));
    return hasAttributes('user', 'users.id', pairs);
  },
};

/** Neither a member of a project nor of a group that contains one. */
const withoutProjects = sql<SqlBool>`not exists (
    select 1 from members m where m.user_id = users.id and m.project_id is not null)
  and not exists (
    select 1 from members m
      join namespace_ancestors a on a.ancestor_id = m.namespace_id
      join projects p on p.namespace_id = a.namespace_id
    where m.user_id = users.id)`;

const switchable = (condition: Condition) => whenTrue(condition, withDefault(param.boolean(), false));

const sent = {
  username: matches(param.string({ description: 'Exact username, case-insensitive' }), (sent) =>
    sameIgnoringCase(sql.ref('users.username'), sent),
  ),
  extern_uid,
  public_email: matches(param.string(), (sent) => hasPublicEmail(sql.ref('users.public_email'), sent)),
  provider,
  search,
  active: switchable(sql`users.state = 'active' and users.kind not in ('ghost')`),
  humans: switchable(sql`users.kind = 'human'`),
  external: switchable(sql`users.external = 1`),
  blocked: switchable(sql`users.state in ('blocked', 'ldap_blocked')`),
  created_after: compare('users.created_at', '>=', param.dateTime()),
  created_before: compare('users.created_at', '<=', param.dateTime()),
  without_projects: switchable(withoutProjects),
  without_project_bots: switchable(sql`users.kind not in ('project_bot')`),
  admins: switchable(sql`users.admin = 1`),
  auditors: switchable(sql`users.auditor = 1`),
  skip_ldap: switchable(sql`not exists (
    select 1 from identities i where i.user_id = users.id and i.provider like 'ldap%')`),
  two_factor: choice({
    enabled: sql<SqlBool>`users.two_factor_enabled = 1`,
    disabled: sql<SqlBool>`users.two_factor_enabled = 0`,
  }),
  exclude_active: switchable(sql`users.state <> 'active'`),
  exclude_external: switchable(sql`users.external = 0`),
  exclude_humans: switchable(sql`users.kind <> 'human'`),
  exclude_internal: switchable(sql`users.kind not in ('ghost')`),
  custom_attributes: attributes,
};

/** Includes internal filters used to put the best matches first; they are not request parameters. */
const filters = {
  ...sent,
  term,
  among: equals('users.id', param.integers()),
  except: excludes('users.id', param.integers()),
};

const orders = {
  id: byId,
  name: byColumn('users.name', 'text'),
  username: byColumn('users.username', 'text'),
  updated_at: byColumn('users.updated_at', 'integer'),
  /** Best matches first, the others by name. */
  relevance: byExpression(({ filters: given }) => [
    [rankOf((given.term ?? given.search)?.values[0]), 'asc'],
    [sql.ref('users.name'), 'asc'],
  ]),
};

// Matches the condition of the partial index on visible users.
const hidden = sql<SqlBool>`users.state not in ('blocked', 'ldap_blocked', 'banned')`;

/** Filters on columns by which the stored user counts are grouped. */
const keptBy = [
  ...['active', 'exclude_active', 'blocked', 'humans', 'exclude_humans'],
  ...['without_project_bots', 'exclude_internal', 'external', 'exclude_external'],
];

type Scope = BoundFilterOf<typeof scope>;
type Given = Readonly<Record<string, BoundMeaning>>;

/**
 * Returns the number of users matching filters on state and kind from the counts maintained by triggers
 * (0680-kept-people).
 */
function keptOf({ hidesBlocked }: Scope, given: Given, engine: Engine): StoredCount | undefined {
  if (!Object.keys(given).every((name) => keptBy.includes(name))) return undefined;
  const requested = Object.entries(given).map(([name, meaning]) =>
    (filters[name as keyof typeof filters] as Filter).condition(meaning, undefined, engine),
  );
  const conditions = [...requested, ...(hidesBlocked ? [hidden] : []), sql`1 = 1`];
  return sql`(select coalesce(sum(users.total), 0) from derived_people as users where ${sql.join(conditions, sql` and `)})`;
}

const counts = {
  kept: (ask: Scope) => keptOf(ask, {}, 'sqlite'),
  keptFiltered: keptOf,
  isWide: () => true,
};

/** Users with the columns of the larger views. */
export const profileList = list({
  id: 'users.id',
  scope,
  filters,
  orders,
  ...counts,
  select: (db, { viewer, hidesBlocked }) => {
    const users = profiles(db, viewer);
    return hidesBlocked ? users.where(hidden) : users;
  },
});

/** Users with the columns of the basic view. */
export const basicList = list({
  id: 'users.id',
  scope,
  filters,
  orders,
  ...counts,
  select: (db, { hidesBlocked }) => {
    const users = db
      .selectFrom('users')
      .select([...basicColumns, 'users.kind', 'users.bot_project_id', 'users.bot_namespace_id', 'users.updated_at']);
    return hidesBlocked ? users.where(hidden) : users;
  },
});

/** Viewer and group of a list of provisioned users. */
interface ProvisionedScope {
  readonly viewer: number;
  readonly group: number;
  readonly privileged: boolean;
}

const { username, active, blocked, created_after, created_before } = sent;
const ofProvisioned = { username, search, active, blocked, created_after, created_before };

/** Users provisioned by a group, with the columns of the larger views. */
export const provisionedList = list({
  id: 'users.id',
  scope: boundProperties<ProvisionedScope>()({ values: ['viewer', 'group'] }),
  filters: ofProvisioned,
  orders: { id: byId },
  select: (db, { viewer, group }) => profiles(db, viewer).where('users.provisioned_by_group_id', '=', group),
});
export type ProvisionedFilters = FilterValues<typeof ofProvisioned>;

/** Filters available to callers. */
export type UserFilters = FilterValues<typeof sent>;
export type AnyUserFilters = FilterValues<typeof filters>;
export type UserList<R> = List<UserScope, typeof filters, typeof orders, R>;

const { term: _, among: __, except: ___, ...params } = basicList.params;

/** Request parameters of the user filters. */
export const userFilterParams = params;
