import type { User } from '../../access/tables.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { boundProperties } from '../../platform/database/form.ts';
import { param } from '../../platform/http/params.ts';
import { equals } from '../../platform/list-kit/filters.ts';
import { list } from '../../platform/list-kit/list.ts';
import { byColumn, byId } from '../../platform/list-kit/order.ts';

/** The group or project of service accounts, or the instance. */
export interface Home {
  readonly of: 'group' | 'project' | 'instance';
  readonly id: number;
}

/** Service accounts of one group, one project or the instance. */
export const accounts = list({
  id: 'users.id',
  scope: boundProperties<Home>()({ values: ['id'] }),
  filters: { account: equals('users.id', param.integer()) },
  orders: { id: byId, username: byColumn('users.username', 'text') },
  select: (db, { of, id }) => {
    const query = db.selectFrom('users').selectAll('users').where('users.kind', '=', 'service_account');
    if (of === 'group') return query.where('users.provisioned_by_group_id', '=', id);
    if (of === 'project') return query.where('users.bot_project_id', '=', id);
    return query.where('users.provisioned_by_group_id', 'is', null).where('users.bot_project_id', 'is', null);
  },
});

export async function findAccount(db: Reader, home: Home, account: number): Promise<User | undefined> {
  const [found] = await accounts.rows(db, home, { account }, { by: 'id', direction: 'asc' }, { offset: 0, perPage: 1 });
  return found;
}

/** Returns all service accounts of a group. */
export async function accountsOf(trx: Writer, group: number): Promise<User[]> {
  return trx
    .selectFrom('users')
    .selectAll()
    .where('kind', '=', 'service_account')
    .where('provisioned_by_group_id', '=', group)
    .execute();
}
