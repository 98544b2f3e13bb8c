import type { Database, Writer } from '../../platform/database/database.ts';
import { lockRow } from '../../platform/database/locks.ts';
import type { AccessToken } from '../tables.ts';

type Member = Pick<AccessToken, 'id' | 'family_id'>;

/** The id of the first token of a rotation chain, which identifies the chain. */
export function familyOf(token: Member): number {
  return token.family_id ?? token.id;
}

/** Locks a token family until the transaction ends: a family being revoked must not gain a new token. */
export async function lockTokenFamily(trx: Writer, token: Member): Promise<void> {
  await lockRow(trx, 'access_tokens', familyOf(token));
}

/** Revokes all tokens of a family: if a revoked token is presented for rotation, it or its successor was stolen. */
export async function revokeFamily(db: Database, token: Member): Promise<void> {
  const family = familyOf(token);
  await db.write(async (trx) => {
    await lockTokenFamily(trx, token);
    await trx
      .updateTable('access_tokens')
      .set({ revoked: 1, revoked_at: Date.now() })
      .where('revoked', '=', 0)
      .where((eb) => eb.or([eb('family_id', '=', family), eb('id', '=', family)]))
      .execute();
  });
}
