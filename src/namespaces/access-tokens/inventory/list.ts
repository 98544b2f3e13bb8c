import { type Expression, sql } from 'kysely';
import { tokenFilters, tokenOrders } from '../../../people/tokens/public.ts';
import { boundProperties } from '../../../platform/database/form.ts';
import { param } from '../../../platform/http/params.ts';
import { compare, equals } from '../../../platform/list-kit/filters.ts';
import { list } from '../../../platform/list-kit/list.ts';
import { byId } from '../../../platform/list-kit/order.ts';

interface AccountScope {
  readonly group: number;
  /** Whether to include the accounts of group members, not only accounts provisioned by the group. */
  readonly members: boolean;
  readonly now: number;
}

const scope = boundProperties<AccountScope>()({ values: ['group', 'now'] });

/** Subquery for the ids of these accounts. */
function accountsOf(group: Expression<number>, members: boolean) {
  const belonging = sql<number>`select id from users where provisioned_by_group_id = ${group}`;
  if (!members) return sql<number>`(${belonging})`;
  return sql<number>`(
    ${belonging}
    union
    select m.user_id from members m join namespace_ancestors a on a.namespace_id = m.namespace_id
      where a.ancestor_id = ${group}
    union
    select m.user_id from members m join projects p on p.id = m.project_id
      join namespace_ancestors a on a.namespace_id = p.namespace_id
      where a.ancestor_id = ${group})`;
}

/** Personal access tokens of the accounts that belong to a group. */
export const accountTokens = list({
  id: 'access_tokens.id',
  scope,
  filters: { ...tokenFilters, token: equals('access_tokens.id', param.integer()) },
  orders: tokenOrders,
  select: (db, { group, members }) =>
    db
      .selectFrom('access_tokens')
      .innerJoin('users', 'users.id', 'access_tokens.user_id')
      .selectAll('access_tokens')
      .where('users.kind', '=', 'human')
      .where('access_tokens.impersonation', '=', 0)
      .where('access_tokens.user_id', 'in', accountsOf(group, members)),
});

/** SSH keys of the accounts that belong to a group. */
export const accountKeys = list({
  id: 'ssh_keys.id',
  scope,
  filters: {
    key: equals('ssh_keys.id', param.integer()),
    created_before: compare('ssh_keys.created_at', '<=', param.dateTime()),
    created_after: compare('ssh_keys.created_at', '>=', param.dateTime()),
    expires_before: compare('ssh_keys.expires_at', '<=', param.dateTime()),
    expires_after: compare('ssh_keys.expires_at', '>=', param.dateTime()),
  },
  orders: { id: byId },
  select: (db, { group, members }) =>
    db
      .selectFrom('ssh_keys')
      .innerJoin('users', 'users.id', 'ssh_keys.user_id')
      .selectAll('ssh_keys')
      .where('users.kind', '=', 'human')
      .where('ssh_keys.deploy', '=', 0)
      .where('ssh_keys.user_id', 'in', accountsOf(group, members)),
});
