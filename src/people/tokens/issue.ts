import type { Services } from '../../access/services.ts';
import type { AccessToken } from '../../access/tables.ts';
import { familyOf, holdFamily } from '../../access/token-families.ts';
import type { Writer } from '../../platform/database/database.ts';
import { digest, randomToken } from '../../platform/secrets/tokens.ts';
import { insertToken, type NewToken } from './store.ts';

/** A token that was just made: the only moment at which its text is known. */
export interface IssuedToken {
  readonly row: AccessToken;
  readonly token: string;
}

/** Makes a token that begins with the prefix. */
export async function issue(
  services: Services,
  trx: Writer,
  prefix: string,
  wanted: Omit<NewToken, 'digest'>,
): Promise<IssuedToken> {
  const token = `${prefix}${randomToken(20)}`;
  return { row: await insertToken(services, trx, { ...wanted, digest: digest(token) }), token };
}

/**
 * Replaces a token by one with the same name, scopes and description. The old one is revoked in the same step, and
 * only by the first of two who try: a token has one successor. Undefined for the others.
 */
export async function rotate(
  services: Services,
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
  return issue(services, trx, prefix, {
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
