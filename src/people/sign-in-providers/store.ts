import type { Writer } from '../../platform/database/database.ts';

/** Returns whether this flow or assertion was unused. Later uses need not be recorded: it is rejected as expired. */
export async function spend(trx: Writer, digest: string, expires_at: number): Promise<boolean> {
  const result = await trx
    .insertInto('spent_sign_ins')
    .values({ digest, expires_at })
    .onConflict((conflict) => conflict.column('digest').doNothing())
    .executeTakeFirst();
  return Number(result.numInsertedOrUpdatedRows) > 0;
}

export async function deleteExpired(trx: Writer, now: number): Promise<void> {
  await trx.deleteFrom('spent_sign_ins').where('expires_at', '<=', now).execute();
}
