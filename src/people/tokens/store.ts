import type { Services } from '../../access/services.ts';
import type { AccessToken, User } from '../../access/tables.ts';
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
  /** The user who creates it, if not the owner. */
  readonly by?: User | null;
}

type Announcing = Pick<Services, 'announce'>;

/** Inserts a token; only its digest is stored. */
export async function insertToken({ announce }: Announcing, trx: Writer, attributes: NewToken): Promise<AccessToken> {
  const token = await trx
    .insertInto('access_tokens')
    .values({
      user_id: attributes.userId,
      name: attributes.name,
      description: attributes.description ?? null,
      digest: attributes.digest,
      scopes: JSON.stringify(attributes.scopes),
      impersonation: attributes.impersonation ? 1 : 0,
      expires_at: attributes.expiresAt,
      last_used_at: null,
      family_id: attributes.familyId ?? null,
      created_at: Date.now(),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await announce(trx, 'token.created', { token, by: attributes.by ?? null });
  return token;
}

/** Revokes a token, on behalf of its owner unless `by` is given; returns whether it was active. */
export async function revokeToken(
  { announce }: Announcing,
  trx: Writer,
  id: number,
  by: User | null = null,
): Promise<boolean> {
  const token = await trx
    .updateTable('access_tokens')
    .set({ revoked: 1, revoked_at: Date.now() })
    .where('id', '=', id)
    .where('revoked', '=', 0)
    .returningAll()
    .executeTakeFirst();
  if (token) await announce(trx, 'token.revoked', { token, by });
  return token !== undefined;
}

/** Revokes all tokens of a blocked user without announcing each. */
export async function revokeTokensOf(trx: Writer, user: number): Promise<void> {
  await trx
    .updateTable('access_tokens')
    .set({ revoked: 1, revoked_at: Date.now() })
    .where('user_id', '=', user)
    .where('revoked', '=', 0)
    .execute();
}

/** Deletes all tokens of bots. */
export async function deleteTokensOf(trx: Writer, users: readonly number[]): Promise<void> {
  if (users.length > 0) await trx.deleteFrom('access_tokens').where('user_id', 'in', users).execute();
}

export function findToken(db: Reader, id: number): Promise<AccessToken | undefined> {
  return db.selectFrom('access_tokens').selectAll().where('id', '=', id).executeTakeFirst();
}

export function findTokenByDigest(db: Reader, digest: string) {
  return db.selectFrom('access_tokens').select('id').where('digest', '=', digest).executeTakeFirst();
}

export function findImpersonationToken(db: Reader, user: number, id: number): Promise<AccessToken | undefined> {
  return db
    .selectFrom('access_tokens')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', user)
    .where('impersonation', '=', 1)
    .executeTakeFirst();
}

interface ExpirySpan {
  readonly from: number;
  readonly to: number;
  readonly days: number;
  readonly after: number;
}

/**
 * Returns a batch of active tokens that expire within a time span and were not yet announced for it, starting after an
 * id.
 */
export function expiringTokens(
  db: Reader,
  { from, to, days, after }: ExpirySpan,
  limit: number,
): Promise<Pick<AccessToken, 'id'>[]> {
  return db
    .selectFrom('access_tokens')
    .select('id')
    .where('expires_at', '>', from)
    .where('expires_at', '<=', to)
    .where('revoked', '=', 0)
    .where('id', '>', after)
    .where((eb) => eb.or([eb('expiry_told', 'is', null), eb('expiry_told', '>', days)]))
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Records that the expiry of a token was announced; undefined if another server was first. */
export function markExpiryAnnounced(trx: Writer, id: number, days: number): Promise<AccessToken | undefined> {
  return trx
    .updateTable('access_tokens')
    .set({ expiry_told: days })
    .where('id', '=', id)
    .where('revoked', '=', 0)
    .where((eb) => eb.or([eb('expiry_told', 'is', null), eb('expiry_told', '>', days)]))
    .returningAll()
    .executeTakeFirst();
}
