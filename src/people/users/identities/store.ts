import type { Reader, Writer } from '../../../platform/database/database.ts';
import { type Param, statement } from '../../../platform/database/statement.ts';

/** How a user is known to a provider of sign-ins; one identity a provider. */
export async function setIdentity(trx: Writer, user: number, provider: string, extern_uid: string): Promise<void> {
  await trx
    .insertInto('identities')
    .values({ user_id: user, provider, extern_uid, created_at: Date.now() })
    .onConflict((conflict) => conflict.columns(['user_id', 'provider']).doUpdateSet({ extern_uid }))
    .execute();
}

/** Says whether there was one. */
export async function deleteIdentity(trx: Writer, user: number, provider: string): Promise<boolean> {
  const result = await trx
    .deleteFrom('identities')
    .where('user_id', '=', user)
    .where('provider', '=', provider)
    .executeTakeFirst();
  return Number(result.numDeletedRows) > 0;
}

const identities = statement((db, param: Param<{ ids: readonly number[] }>) =>
  db
    .selectFrom('identities')
    .select(['user_id', 'provider', 'extern_uid'])
    .where('user_id', 'in', param.ids('ids'))
    .orderBy('id'),
);

export type IdentityRow = { user_id: number; provider: string; extern_uid: string };

/** The identities of these users, by user. */
export async function identitiesOf(db: Reader, ids: readonly number[]): Promise<Map<number, IdentityRow[]>> {
  return Map.groupBy(await identities.all(db, { ids }), (row) => row.user_id);
}
