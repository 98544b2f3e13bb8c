import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { UserState } from '../../access/tables.ts';
import { contains, sameIgnoringCase } from '../../platform/database/expressions.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { hasAttributes } from '../custom-attributes/service.ts';

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

type Users<O> = SelectQueryBuilder<Tables, 'users', O>;
const bots = ['project_bot'] as const;
const internal = ['ghost'] as const;
const blocked: readonly UserState[] = ['blocked', 'ldap_blocked'];
const hidden: readonly UserState[] = ['blocked', 'ldap_blocked', 'banned'];

/** Narrows a query on users by everything that was asked; `privileged` for administrators and auditors. */
export function filterUsers<O>(query: Users<O>, filter: UserFilter, privileged: boolean): Users<O> {
  let users = filterByState(query, filter, privileged);
  const { username, public_email, search, created_after, created_before } = filter;
  if (username) users = users.where((eb) => sameIgnoringCase(eb.ref('users.username'), username));
  if (public_email) users = users.where((eb) => sameIgnoringCase(eb.ref('users.public_email'), public_email));
  if (search !== undefined) users = searchUsers(users, searchTerm(search), privileged);
  if (filter.humans) users = users.where('users.kind', '=', 'human');
  if (filter.exclude_humans) users = users.where('users.kind', '<>', 'human');
  if (filter.exclude_internal) users = users.where('users.kind', 'not in', internal);
  if (filter.without_project_bots) users = users.where('users.kind', 'not in', bots);
  if (filter.external) users = users.where('users.external', '=', 1);
  if (filter.exclude_external) users = users.where('users.external', '=', 0);
  if (created_after !== undefined) users = users.where('users.created_at', '>=', created_after);
  if (created_before !== undefined) users = users.where('users.created_at', '<=', created_before);
  return privileged ? filterForAdmin(users, filter) : users;
}

function filterByState<O>(users: Users<O>, filter: UserFilter, privileged: boolean): Users<O> {
  let found = users;
  // People without rights over the instance meet blocked users only when they ask for them.
  if (!privileged && !filter.blocked) found = found.where('users.state', 'not in', hidden);
  if (filter.blocked) found = found.where('users.state', 'in', blocked);
  if (filter.active) found = found.where('users.state', '=', 'active').where('users.kind', 'not in', internal);
  if (filter.exclude_active) found = found.where('users.state', '<>', 'active');
  return found;
}

function filterForAdmin<O>(users: Users<O>, filter: UserFilter): Users<O> {
  let found = users;
  const { extern_uid, provider, custom_attributes } = filter;
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
  if (custom_attributes) found = found.where(hasAttributes('user', 'users.id', custom_attributes));
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

function searchUsers<O>(users: Users<O>, term: string, privileged: boolean): Users<O> {
  if (term === '') return users;
  return users.where((eb) => {
    const compare = [...term].length < 3 ? sameIgnoringCase : contains;
    const matches = [
      compare(eb.ref('users.name'), term),
      compare(eb.ref('users.username'), term),
      sameIgnoringCase(eb.ref('users.public_email'), term),
    ];
    if (!privileged || !term.includes('@')) return eb.or(matches);
    const further = sql<SqlBool>`users.id in (
      select e.user_id from emails e where lower(e.email) = lower(${term}) and e.confirmed_at is not null)`;
    return eb.or([...matches, sameIgnoringCase(eb.ref('users.email'), term), further]);
  });
}

/** The best matches first: by public address, by user name, by name, then the rest by name. */
export function byRelevance<O>(users: Users<O>, search: string): Users<O> {
  const term = searchTerm(search);
  const rank = sql<number>`case
    when lower(users.public_email) = lower(${term}) then 0
    when lower(users.username) = lower(${term}) then 1
    when lower(users.name) = lower(${term}) then 2
    else 3 end`;
  return users.orderBy(rank).orderBy('users.name').orderBy('users.id');
}
