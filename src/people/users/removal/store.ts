import type { User } from '../../../access/tables.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';

export function findGhost(db: Reader): Promise<User | undefined> {
  return db.selectFrom('users').selectAll().where('kind', '=', 'ghost').orderBy('id').executeTakeFirst();
}

export async function deleteUserRow(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('users').where('id', '=', id).execute();
}

/**
 * Returns a batch of users added before an instant who never confirmed their e-mail address and were never active,
 * ordered by id.
 */
export async function findUnconfirmed(
  db: Reader,
  { addedBefore, after }: { readonly addedBefore: number; readonly after: number },
  limit: number,
): Promise<number[]> {
  const rows = await db
    .selectFrom('users')
    .select('id')
    .where('id', '>', after)
    .where('kind', '=', 'human')
    .where('state', 'in', ['active', 'blocked_pending_approval'])
    .where('confirmed_at', 'is', null)
    .where('current_sign_in_at', 'is', null)
    .where('last_activity_at', 'is', null)
    .where('created_at', '<', addedBefore)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}
