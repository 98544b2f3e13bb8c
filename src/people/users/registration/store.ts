import type { Reader, Writer } from '../../../platform/database/database.ts';
import { acquireLock } from '../../../platform/database/locks.ts';

export async function countActive(db: Reader): Promise<number> {
  const { people } = await db
    .selectFrom('users')
    .select((eb) => eb.fn.countAll<number | string>().as('people'))
    .where('state', '=', 'active')
    .where('kind', '=', 'human')
    .executeTakeFirstOrThrow();
  return Number(people);
}

/** Serializes sign-ups until the transaction ends, so that concurrent ones cannot exceed the user cap. */
export function lockSignUps(trx: Writer): Promise<void> {
  return acquireLock(trx, 'places for those who sign up');
}
