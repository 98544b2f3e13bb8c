import type { User } from '../../../access/tables.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';

export function findGhost(db: Reader): Promise<User | undefined> {
  return db.selectFrom('users').selectAll().where('kind', '=', 'ghost').orderBy('id').executeTakeFirst();
}

export async function deleteUserRow(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('users').where('id', '=', id).execute();
}
