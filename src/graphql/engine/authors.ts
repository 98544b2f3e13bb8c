import { usersByAddress } from '../../people/users/public.ts';
import type { Reader } from '../../platform/database/database.ts';
import { Batch } from './batch.ts';

/**
 * The numbers of those who have confirmed addresses, in lower case. The API tells of a commit what is written in it; what may
 * be known of its author it says when it is asked for them by number.
 */
export function authorsOf(db: Reader): Batch<string, number> {
  return new Batch(async (emails) => {
    const users = await usersByAddress(db, emails);
    return new Map(users.map(({ email, id }) => [email, id]));
  });
}
