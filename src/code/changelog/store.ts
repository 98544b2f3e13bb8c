import type { Reader } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';

const membersAmong = statement((db, param: Param<{ groups: readonly number[]; users: readonly number[] }>) =>
  db
    .selectFrom('members')
    .select('user_id')
    .where('namespace_id', 'in', param.ids('groups'))
    .where('user_id', 'in', param.ids('users')),
);

/** Returns which of these users are direct members of any of these groups. */
export async function membersOfGroups(
  db: Reader,
  groups: readonly number[],
  users: readonly number[],
): Promise<ReadonlySet<number>> {
  return new Set((await membersAmong.all(db, { groups, users })).map((row) => row.user_id));
}
