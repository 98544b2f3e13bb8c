import { blankAccount, insertUser } from '../../access/accounts.ts';
import { addressTaken } from '../../access/addresses.ts';
import type { User } from '../../access/tables.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { isUsernameTaken } from './store.ts';

/** The account that what deleted users wrote belongs to; made when first needed. */
export async function ghostUser(trx: Writer, host: string): Promise<User> {
  const known = await trx.selectFrom('users').selectAll().where('kind', '=', 'ghost').orderBy('id').executeTakeFirst();
  if (known) return known;
  const username = await freeName(trx, 'ghost');
  return insertUser(trx, {
    ...blankAccount,
    kind: 'ghost',
    username,
    name: 'Ghost User',
    email: `${username}@ghost.${host}`,
    confirmed_at: Date.now(),
    can_create_group: 0,
    projects_limit: 0,
  });
}

/** Somebody may have called themselves so before. */
async function freeName(db: Reader, wanted: string): Promise<string> {
  for (let count = 0; ; count++) {
    const name = count === 0 ? wanted : `${wanted}${count}`;
    if (!(await isUsernameTaken(db, name)) && !(await addressTaken(db, name))) return name;
  }
}
