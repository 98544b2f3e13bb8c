import type { Services } from '../../access/services.ts';
import type { AccessToken } from '../../access/tables.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';

export interface NewToken {
  readonly userId: number;
  readonly name: string;
  readonly description?: string | null;
  readonly digest: string;
  readonly scopes: readonly string[];
  readonly expiresAt: number | null;
  readonly impersonation?: boolean;
  readonly familyId?: number | null;
}

/** Adds a token, known from then on by its digest alone. */
export async function insertToken(
  { announce }: Pick<Services, 'announce'>,
  trx: Writer,
  wanted: NewToken,
): Promise<AccessToken> {
  const token = await trx
    .insertInto('access_tokens')
    .values({
      user_id: wanted.userId,
      name: wanted.name,
      description: wanted.description ?? null,
      digest: wanted.digest,
      scopes: JSON.stringify(wanted.scopes),
      impersonation: wanted.impersonation ? 1 : 0,
      expires_at: wanted.expiresAt,
      last_used_at: null,
      family_id: wanted.familyId ?? null,
      created_at: Date.now(),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await announce(trx, 'token.created', { token });
  return token;
}

export function findTokenByDigest(db: Reader, digest: string) {
  return db.selectFrom('access_tokens').select('id').where('digest', '=', digest).executeTakeFirst();
}

/** Ends every token of a user. */
export async function revokeTokensOf(trx: Writer, user: number): Promise<void> {
  await trx.updateTable('access_tokens').set({ revoked: 1 }).where('user_id', '=', user).execute();
}
