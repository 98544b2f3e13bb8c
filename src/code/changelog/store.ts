import type { Reader } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';

const byAddress = statement((db, param: Param<{ emails: readonly string[] }>) =>
  db
    .selectFrom('users')
    .select((eb) => ['users.id', 'users.username', eb.fn<string>('lower', ['users.email']).as('email')])
    .where((eb) => eb(eb.fn<string>('lower', ['users.email']), 'in', param.texts('emails')))
    .where('users.confirmed_at', 'is not', null)
    .unionAll(
      db
        .selectFrom('emails')
        .innerJoin('users', 'users.id', 'emails.user_id')
        .select((eb) => ['users.id', 'users.username', eb.fn<string>('lower', ['emails.email']).as('email')])
        .where((eb) => eb(eb.fn<string>('lower', ['emails.email']), 'in', param.texts('emails')))
        .where('emails.confirmed_at', 'is not', null),
    ),
);
const membersAmong = statement((db, param: Param<{ groups: readonly number[]; users: readonly number[] }>) =>
  db
    .selectFrom('members')
    .select('user_id')
    .where('namespace_id', 'in', param.ids('groups'))
    .where('user_id', 'in', param.ids('users')),
);

/** The users who have confirmed these addresses, which are in lower case. */
export function usersByAddress(db: Reader, emails: readonly string[]) {
  return byAddress.all(db, { emails });
}

/** Of these users, the direct members of these groups. */
export async function membersOfGroups(
  db: Reader,
  groups: readonly number[],
  users: readonly number[],
): Promise<ReadonlySet<number>> {
  return new Set((await membersAmong.all(db, { groups, users })).map((row) => row.user_id));
}
