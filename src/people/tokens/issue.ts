import { insertToken, type NewToken } from '../../access/accounts.ts';
import type { AccessToken } from '../../access/tables.ts';
import { familyOf, holdFamily } from '../../access/token-families.ts';
import type { Writer } from '../../platform/database/database.ts';
import { digest, randomToken } from '../../platform/secrets/tokens.ts';

/** A token that was just made: the only moment at which its text is known. */
export interface IssuedToken {
  readonly row: AccessToken;
  readonly token: string;
}

/** Makes a token that begins with the prefix. */
export async function issue(trx: Writer, prefix: string, wanted: Omit<NewToken, 'digest'>): Promise<IssuedToken> {
  const token = `${prefix}${randomToken(20)}`;
  const id = await insertToken(trx, { ...wanted, digest: digest(token) });
  const row = await trx.selectFrom('access_tokens').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  return { row, token };
}

/**
 * Replaces a token by one with the same name, scopes and description. The old one is revoked in the same step, and
 * only by the first of two who try: a token has one successor. Undefined for the others.
 */
export async function rotate(
  trx: Writer,
  prefix: string,
  old: AccessToken,
  expiresAt: number,
): Promise<IssuedToken | undefined> {
  await holdFamily(trx, old);
  const result = await trx
    .updateTable('access_tokens')
    .set({ revoked: 1 })
    .where('id', '=', old.id)
    .where('revoked', '=', 0)
    .executeTakeFirst();
  if (Number(result.numUpdatedRows) === 0) return undefined;
  return issue(trx, prefix, {
    userId: old.user_id,
    name: old.name,
    description: old.description,
    scopes: JSON.parse(old.scopes) as string[],
    expiresAt,
    impersonation: old.impersonation === 1,
    familyId: familyOf(old),
  });
}

export async function revoke(trx: Writer, id: number): Promise<void> {
  await trx.updateTable('access_tokens').set({ revoked: 1 }).where('id', '=', id).execute();
}
