import type { Writer } from '../../platform/database/database.ts';

/** Returns whether the flow was unused. */
export async function useFlow(trx: Writer, digest: string, expires_at: number): Promise<boolean> {
  const result = await trx
    .insertInto('openid_spent_flows')
    .values({ digest, expires_at })
    .onConflict((conflict) => conflict.column('digest').doNothing())
    .executeTakeFirst();
  return Number(result.numInsertedOrUpdatedRows) > 0;
}

/** Expired flows are rejected anyway and need no record. */
export async function deleteExpiredFlows(trx: Writer, now: number): Promise<void> {
  await trx.deleteFrom('openid_spent_flows').where('expires_at', '<=', now).execute();
}
