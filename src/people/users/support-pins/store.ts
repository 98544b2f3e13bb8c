import type { Reader, Writer } from '../../../platform/database/database.ts';
import type { SupportPinRow } from '../tables.ts';

export function findPin(db: Reader, user: number, now: number): Promise<SupportPinRow | undefined> {
  return db
    .selectFrom('user_support_pins')
    .selectAll()
    .where('user_id', '=', user)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

/** Inserts or replaces the PIN. */
export async function writePin(trx: Writer, row: SupportPinRow): Promise<void> {
  await trx
    .insertInto('user_support_pins')
    .values(row)
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ pin: row.pin, expires_at: row.expires_at }))
    .execute();
}

/** Returns false if there was no valid PIN. */
export async function deletePin(trx: Writer, user: number, now: number): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('user_support_pins')
    .where('user_id', '=', user)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return Number(numDeletedRows) > 0;
}
