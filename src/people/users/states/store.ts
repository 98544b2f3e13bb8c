import type { Reader } from '../../../platform/database/database.ts';

/**
 * Returns a batch of active users without activity since an instant, ordered by id; recently added ones are excluded.
 */
export async function findDormant(
  db: Reader,
  { since, addedBefore, after }: { readonly since: number; readonly addedBefore: number; readonly after: number },
  limit: number,
): Promise<number[]> {
  const rows = await db
    .selectFrom('users')
    .select('id')
    .where('id', '>', after)
    .where('state', '=', 'active')
    .where('kind', '=', 'human')
    .where('created_at', '<', addedBefore)
    .where((eb) => eb.or([eb('last_activity_at', 'is', null), eb('last_activity_at', '<', since)]))
    .where((eb) => eb.or([eb('current_sign_in_at', 'is', null), eb('current_sign_in_at', '<', since)]))
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}
