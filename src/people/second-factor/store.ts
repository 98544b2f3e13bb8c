import { sql } from 'kysely';
import type { Reader, Writer } from '../../platform/database/database.ts';
import type { SecondFactor } from './tables.ts';

export async function factorOf(db: Reader, user: number): Promise<SecondFactor | undefined> {
  return db.selectFrom('second_factors').selectAll().where('user_id', '=', user).executeTakeFirst();
}

export async function insertFactor(
  trx: Writer,
  row: Pick<SecondFactor, 'user_id' | 'encrypted_key' | 'last_step' | 'created_at'>,
): Promise<void> {
  await trx
    .insertInto('second_factors')
    .values({ ...row, locked_until: null })
    .execute();
}

/** Records an accepted code and resets the failure counter. */
export async function recordAcceptedCode(trx: Writer, user: number, lastStep: number): Promise<void> {
  const right = { last_step: lastStep, failed_attempts: 0, locked_until: null };
  await trx.updateTable('second_factors').set(right).where('user_id', '=', user).execute();
}

/** Counts a wrong code; returns the number of consecutive failures. */
export async function countWrongCode(trx: Writer, user: number): Promise<number> {
  const counted = await trx
    .updateTable('second_factors')
    .set({ failed_attempts: sql<number>`failed_attempts + 1` })
    .where('user_id', '=', user)
    .returning('failed_attempts')
    .executeTakeFirst();
  return counted?.failed_attempts ?? 0;
}

export async function lockFactor(trx: Writer, user: number, until: number): Promise<void> {
  const locked = { failed_attempts: 0, locked_until: until };
  await trx.updateTable('second_factors').set(locked).where('user_id', '=', user).execute();
}

export async function deleteFactor(trx: Writer, user: number): Promise<void> {
  await trx.deleteFrom('recovery_codes').where('user_id', '=', user).execute();
  await trx.deleteFrom('second_factors').where('user_id', '=', user).execute();
}

/** Replaces all recovery codes. */
export async function replaceCodes(trx: Writer, user: number, digests: readonly string[]): Promise<void> {
  await trx.deleteFrom('recovery_codes').where('user_id', '=', user).execute();
  await trx
    .insertInto('recovery_codes')
    .values(digests.map((digest) => ({ user_id: user, digest })))
    .execute();
}

/** Deletes a recovery code; returns whether it existed. */
export async function useRecoveryCode(trx: Writer, user: number, digest: string): Promise<boolean> {
  const result = await trx
    .deleteFrom('recovery_codes')
    .where('user_id', '=', user)
    .where('digest', '=', digest)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

export async function codesLeft(db: Reader, user: number): Promise<number> {
  const found = await db
    .selectFrom('recovery_codes')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('user_id', '=', user)
    .executeTakeFirstOrThrow();
  return Number(found.count);
}
