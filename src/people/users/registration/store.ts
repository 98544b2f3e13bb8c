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

/** Keeps others from signing up until the transaction ends: of two for the last place, the second is counted with the first. */
export function holdPlaces(trx: Writer): Promise<void> {
  return acquireLock(trx, 'places for those who sign up');
}
