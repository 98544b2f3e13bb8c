import { type Expression, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { userSearch } from '../../../access/search.ts';
import type { UserState } from '../../../access/tables.ts';
import type { Engine } from '../../../platform/database/database.ts';
import { contains, sameIgnoringCase, type Text } from '../../../platform/database/expressions.ts';
import { type AskedOf, form } from '../../../platform/database/form.ts';
import { type Searching, searchLists, searchValues } from '../../../platform/database/search-index.ts';
import { shapedList } from '../../../platform/database/shaped.ts';
import type { Tables } from '../../../platform/database/tables.ts';
import { hasAttributes, type Pairs } from '../../custom-attributes/public.ts';
import { basicColumns, profiles } from './store.ts';

/** The filters of `GET /users`, as they were sent. */
export interface UserFilter {
  readonly username?: string;
  readonly extern_uid?: string;
  readonly provider?: string;
  readonly public_email?: string;
  readonly search?: string;
  readonly active: boolean;
  readonly humans: boolean;
  readonly external: boolean;
  readonly blocked: boolean;
  readonly created_after?: number;
  readonly created_before?: number;
  readonly without_projects: boolean;
  readonly without_project_bots: boolean;
  readonly admins: boolean;
  readonly auditors: boolean;
  readonly skip_ldap: boolean;
  readonly two_factor?: 'enabled' | 'disabled';
  readonly exclude_active: boolean;
  readonly exclude_external: boolean;
  readonly exclude_humans: boolean;
  readonly exclude_internal: boolean;
  readonly custom_attributes?: Readonly<Record<string, string>>;
}

/** What the lists of users are asked with. */
export interface UserQuestion
  extends Searching,
    Omit<UserFilter, 'search' | 'custom_attributes' | 'username' | 'public_email'> {
  readonly username?: string | undefined;
  readonly public_email?: string | undefined;
  readonly viewer: number;
  /** Administrators and auditors may filter by more. */
  readonly privileged: boolean;
  readonly term?: string | undefined;
  /** How the term is compared with names; an empty one is not. */
  readonly matching?: 'whole' | 'part' | undefined;
  /** The term may be an address that only the privileged find. */
  readonly byAddress: boolean;
  readonly except?: readonly number[] | undefined;
  readonly attributes?: Pairs | undefined;
  readonly by: 'id' | 'name' | 'username' | 'updated_at' | 'relevance';
  readonly sort: 'asc' | 'desc';
}

export const userQuestion = form<UserQuestion>()({
  values: [
    'viewer',
    'username',
    'public_email',
    'extern_uid',
    'provider',
    'created_after',
    'created_before',
    'term',
    'attributes',
    ...searchValues,
  ],
  lists: ['except', ...searchLists],
});
type Ask = AskedOf<typeof userQuestion>;

type Users<O> = SelectQueryBuilder<Tables, 'users', O>;
const bots = ['project_bot'] as const;
const internal = ['ghost'] as const;
const blocked: readonly UserState[] = ['blocked', 'ldap_blocked'];
const hidden: readonly UserState[] = ['blocked', 'ldap_blocked', 'banned'];

/** Narrows a query on users by everything that was asked, and puts it into order. */
export function filterUsers<O>(query: Users<O>, filter: Ask, engine: Engine): Users<O> {
  let users = filterByState(userSearch.narrow(query, 'users.id', filter, engine), filter);
  const { username, public_email, created_after, created_before } = filter;
  if (username) users = users.where((eb) => sameIgnoringCase(eb.ref('users.username'), username));
  if (public_email) users = users.where((eb) => hasPublicEmail(eb.ref('users.public_email'), public_email));
  users = searchUsers(users, filter);
  if (filter.except) users = users.where('users.id', 'not in', filter.except);
  if (filter.humans) users = users.where('users.kind', '=', 'human');
  if (filter.exclude_humans) users = users.where('users.kind', '<>', 'human');
  if (filter.exclude_internal) users = users.where('users.kind', 'not in', internal);
  if (filter.without_project_bots) users = users.where('users.kind', 'not in', bots);
  if (filter.external) users = users.where('users.external', '=', 1);
  if (filter.exclude_external) users = users.where('users.external', '=', 0);
  if (created_after !== undefined) users = users.where('users.created_at', '>=', created_after);
  if (created_before !== undefined) users = users.where('users.created_at', '<=', created_before);
  return inOrder(filter.privileged ? filterForAdmin(users, filter) : users, filter);
}

/** Said twice, for SQLite to see that the index of public addresses has all there are: it leaves out who shows none. */
export function hasPublicEmail(column: Expression<string | null>, email: Text): Expression<SqlBool> {
  return sql<SqlBool>`(${column} is not null and ${sameIgnoringCase(column, email)})`;
}

function filterByState<O>(users: Users<O>, filter: Ask): Users<O> {
  let found = users;
  // People without rights over the instance meet blocked users only when they ask for them.
  if (!filter.privileged && !filter.blocked) found = found.where('users.state', 'not in', hidden);
  if (filter.blocked) found = found.where('users.state', 'in', blocked);
  if (filter.active) found = found.where('users.state', '=', 'active').where('users.kind', 'not in', internal);
  if (filter.exclude_active) found = found.where('users.state', '<>', 'active');
  return found;
}

function filterForAdmin<O>(users: Users<O>, filter: Ask): Users<O> {
  let found = users;
  const { extern_uid, provider, attributes } = filter;
  if (extern_uid !== undefined && provider !== undefined) {
    found = found.where((eb) =>
      eb.exists(
        eb
          .selectFrom('identities')
          .select('identities.id')
          .whereRef('identities.user_id', '=', 'users.id')
          .where('provider', '=', provider)
          .where('extern_uid', '=', extern_uid),
      ),
    );
  }
  if (filter.admins) found = found.where('users.admin', '=', 1);
  if (filter.auditors) found = found.where('users.auditor', '=', 1);
  if (filter.two_factor) found = found.where('users.two_factor_enabled', '=', filter.two_factor === 'enabled' ? 1 : 0);
  if (filter.without_projects) found = found.where(withoutProjects);
  if (filter.skip_ldap) {
    found = found.where(sql<SqlBool>`not exists (
      select 1 from identities i where i.user_id = users.id and i.provider like 'ldap%')`);
  }
  if (attributes) found = found.where(hasAttributes('user', 'users.id', attributes));
  return found;
}

/** In no project, neither as a member of it nor of a group around it. */
const withoutProjects = sql<SqlBool>`not exists (
    select 1 from members m where m.user_id = users.id and m.project_id is not null)
  and not exists (
    select 1 from members m
      join namespace_ancestors a on a.ancestor_id = m.namespace_id
      join projects p on p.namespace_id = a.namespace_id
    where m.user_id = users.id)`;

/** People write `@name` as they mention someone. */
export function searchTerm(search: string): string {
  return search.trim().replace(/^@/, '');
}

/** How a term is compared with names: short ones as a whole. */
export function matchingOf(term: string): UserQuestion['matching'] {
  return term === '' ? undefined : [...term].length < 3 ? 'whole' : 'part';
}

function searchUsers<O>(users: Users<O>, { term, matching, byAddress }: Ask): Users<O> {
  if (term === undefined || matching === undefined) return users;
  return users.where((eb) => {
    const compare = matching === 'whole' ? sameIgnoringCase : contains;
    const matches = [
      compare(eb.ref('users.name'), term),
      compare(eb.ref('users.username'), term),
      sameIgnoringCase(eb.ref('users.public_email'), term),
    ];
    if (!byAddress) return eb.or(matches);
    const further = sql<SqlBool>`users.id in (
      select e.user_id from emails e where lower(e.email) = lower(${term}) and e.confirmed_at is not null)`;
    return eb.or([...matches, sameIgnoringCase(eb.ref('users.email'), term), further]);
  });
}

function inOrder<O>(users: Users<O>, { by, sort, term }: Ask): Users<O> {
  if (by === 'id') return users.orderBy('users.id', sort);
  if (by !== 'relevance') return users.orderBy(`users.${by}`, sort).orderBy('users.id', sort);
  // The best matches first: by public address, by user name, by name, then the rest by name.
  const rank = sql<number>`case
    when lower(users.public_email) = lower(${term}) then 0
    when lower(users.username) = lower(${term}) then 1
    when lower(users.name) = lower(${term}) then 2
    else 3 end`;
  return users.orderBy(rank).orderBy('users.name').orderBy('users.id');
}

/** Lists of users, as the larger views need them and as the basic one does. */
export const profileList = shapedList(userQuestion, (db, ask, engine) =>
  filterUsers(profiles(db, ask.viewer), ask, engine),
);
export const basicList = shapedList(userQuestion, (db, ask, engine) =>
  filterUsers(
    db
      .selectFrom('users')
      .select([...basicColumns, 'users.kind', 'users.bot_project_id', 'users.bot_namespace_id', 'users.updated_at']),
    ask,
    engine,
  ),
);
