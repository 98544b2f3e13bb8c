import type { Reader } from '../../platform/database/database.ts';

/** Whether another administrator can sign in. */
export async function hasOtherAdministrator(db: Reader, userId: number): Promise<boolean> {
  const other = await db
    .selectFrom('users')
    .select('id')
    .where('admin', '=', 1)
    .where('kind', '=', 'human')
    .where('state', '=', 'active')
    .where('id', '<>', userId)
    .executeTakeFirst();
  return other !== undefined;
}
