import { isPathTaken } from '../../../access/namespaces/addresses.ts';
import type { Services } from '../../../access/services.ts';
import type { User } from '../../../access/tables.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { blankAccount, insertUser, isUsernameTaken } from '../accounts/store.ts';
import { findGhost } from './store.ts';

/** Returns the ghost user, to which contributions of deleted users are reassigned; created on first use. */
export async function ghostUser(services: Services, trx: Writer): Promise<User> {
  const known = await findGhost(trx);
  if (known) return known;
  const username = await availableUsername(trx, 'ghost');
  return insertUser(services, trx, {
    ...blankAccount,
    kind: 'ghost',
    username,
    name: 'Ghost User',
    email: `${username}@ghost.${new URL(services.externalUrl).hostname}`,
    confirmed_at: Date.now(),
    can_create_group: 0,
    projects_limit: 0,
  });
}

/** Returns an available username: an existing user may already have this one. */
async function availableUsername(db: Reader, preferred: string): Promise<string> {
  for (let count = 0; ; count++) {
    const name = count === 0 ? preferred : `${preferred}${count}`;
    if (!(await isUsernameTaken(db, name)) && !(await isPathTaken(db, name))) return name;
  }
}
