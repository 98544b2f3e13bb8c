import type { Reader, Writer } from '../../../platform/database/database.ts';
import { digest } from '../../../platform/secrets/tokens.ts';
import { identitiesOf, normalizeExternUid } from './store.ts';

/** Records the identities of an account being deleted as digests, because no other personal data may be kept. */
export async function recordRemovedIdentities(trx: Writer, userId: number): Promise<void> {
  const own = (await identitiesOf(trx, [userId])).get(userId) ?? [];
  if (own.length === 0) return;
  const removed_at = Date.now();
  await trx
    .insertInto('removed_identities')
    .values(own.map(({ provider, extern_uid }) => ({ provider, extern_uid_digest: digest(extern_uid), removed_at })))
    .onConflict((conflict) => conflict.columns(['provider', 'extern_uid_digest']).doUpdateSet({ removed_at }))
    .execute();
}

/** Whether an account with this identity was deleted. */
export async function isRemovedIdentity(db: Reader, provider: string, externUid: string): Promise<boolean> {
  const row = await db
    .selectFrom('removed_identities')
    .select('removed_at')
    .where('provider', '=', provider)
    .where('extern_uid_digest', '=', digest(normalizeExternUid(provider, externUid)))
    .executeTakeFirst();
  return row !== undefined;
}
