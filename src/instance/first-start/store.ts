import type { Reader } from '../../platform/database/database.ts';

/** Has nobody an account yet? */
export async function isEmpty(db: Reader): Promise<boolean> {
  return (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) === undefined;
}

export function findFirstAdministrator(db: Reader): Promise<{ id: number } | undefined> {
  return db.selectFrom('users').select('id').where('admin', '=', 1).orderBy('id').executeTakeFirst();
}
