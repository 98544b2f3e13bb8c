import type { Reader, Writer } from '../../../platform/database/database.ts';
import type { StatusRow } from '../tables.ts';

export function findStatus(db: Reader, user: number): Promise<StatusRow | undefined> {
  return db.selectFrom('user_statuses').selectAll().where('user_id', '=', user).executeTakeFirst();
}

export async function writeStatus(trx: Writer, row: StatusRow): Promise<void> {
  await trx
    .insertInto('user_statuses')
    .values(row)
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(row))
    .execute();
}

export async function deleteStatus(trx: Writer, user: number): Promise<void> {
  await trx.deleteFrom('user_statuses').where('user_id', '=', user).execute();
}
