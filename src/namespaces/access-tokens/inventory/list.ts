import { sql } from 'kysely';
import { tokenFilters, tokenOrders } from '../../../people/tokens/public.ts';
import { form } from '../../../platform/database/form.ts';
import { list } from '../../../platform/list-kit/list.ts';

interface AccountScope {
  readonly group: number;
  /** Those of its members too, and not only of the accounts that were made for the group. */
  readonly members: boolean;
  readonly now: number;
}

/** The personal tokens of the accounts that belong to a group. */
export const accountTokens = list({
  id: 'access_tokens.id',
  scope: form<AccountScope>()({ values: ['group', 'now'] }),
  filters: tokenFilters,
  orders: tokenOrders,
  select: (db, { group, members }) => {
    const belonging = sql<number>`select id from users where provisioned_by_group_id = ${group}`;
    const joined = sql<number>`
      select m.user_id from members m join namespace_ancestors a on a.namespace_id = m.namespace_id
        where a.ancestor_id = ${group}
      union
      select m.user_id from members m join projects p on p.id = m.project_id
        join namespace_ancestors a on a.namespace_id = p.namespace_id
        where a.ancestor_id = ${group}`;
    return db
      .selectFrom('access_tokens')
      .innerJoin('users', 'users.id', 'access_tokens.user_id')
      .selectAll('access_tokens')
      .where('users.kind', '=', 'human')
      .where('access_tokens.impersonation', '=', 0)
      .where(
        'access_tokens.user_id',
        'in',
        members ? sql<number>`(${belonging} union ${joined})` : sql<number>`(${belonging})`,
      );
  },
});
