import { usersByAddress } from '../../people/users/public.ts';
import type { Reader } from '../../platform/database/database.ts';
import { Batch } from './batch.ts';

/**
 * Loads user ids by confirmed, lower-case email addresses. The REST API returns the commit's author as text; whether
 * the caller can see the user is checked when the user is read by id.
 */
export function userIdsByEmail(db: Reader): Batch<string, number> {
  return new Batch(async (emails) => {
    const users = await usersByAddress(db, emails);
    return new Map(users.map(({ email, id }) => [email, id]));
  });
}
