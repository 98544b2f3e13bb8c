import type { Database, Writer } from '../../platform/database/database.ts';
import { lockRow } from '../../platform/database/locks.ts';
import type { AccessToken } from '../tables.ts';

type Member = Pick<AccessToken, 'id' | 'family_id'>;

/** The first of the tokens that came from one another by rotation: it stands for all of them. */
export function familyOf(token: Member): number {
  return token.family_id ?? token.id;
}

/** Keeps a family as it is until the transaction ends: one that is being ended must not get a new member meanwhile. */
export async function holdFamily(trx: Writer, token: Member): Promise<void> {
  await lockRow(trx, 'access_tokens', familyOf(token));
}

/** Ends all: a revoked token that is presented for rotation was stolen, or its successor was. */
export async function revokeFamily(db: Database, token: Member): Promise<void> {
  const family = familyOf(token);
  await db.write(async (trx) => {
    await holdFamily(trx, token);
    await trx
      .updateTable('access_tokens')
      .set({ revoked: 1, revoked_at: Date.now() })
      .where('revoked', '=', 0)
      .where((eb) => eb.or([eb('family_id', '=', family), eb('id', '=', family)]))
      .execute();
  });
}
