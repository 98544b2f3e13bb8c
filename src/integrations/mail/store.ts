import type { Reader } from '../../platform/database/database.ts';

/** Who said of something that they want to hear of it, or that they do not. */
export async function saidSubscriptions(
  db: Reader,
  type: string,
  id: number,
): Promise<{ readonly user_id: number; readonly subscribed: number }[]> {
  return db
    .selectFrom('subscriptions')
    .select(['user_id', 'subscribed'])
    .where('target_type', '=', type)
    .where('target_id', '=', id)
    .limit(5000)
    .execute();
}

/** Whose confirmed address this is: of one user at most. */
export async function ownersOf(db: Reader, email: string): Promise<number[]> {
  const lower = email.toLowerCase();
  const rows = await db
    .selectFrom('users')
    .select('id as user_id')
    .where((eb) => eb(eb.fn<string>('lower', ['email']), '=', lower))
    .where('confirmed_at', 'is not', null)
    .union(
      db
        .selectFrom('emails')
        .select('user_id')
        .where((eb) => eb(eb.fn<string>('lower', ['email']), '=', lower))
        .where('confirmed_at', 'is not', null),
    )
    .execute();
  return rows.map(({ user_id }) => user_id);
}

/** Tokens in force that expire in a span of time, with the address of their owners; the next after a number. */
export function expiringTokens(db: Reader, from: number, to: number, after: number, limit: number) {
  return db
    .selectFrom('access_tokens as t')
    .innerJoin('users as u', 'u.id', 't.user_id')
    .select(['t.id', 't.name', 't.expires_at', 'u.email', 'u.id as user_id'])
    .where('t.revoked', '=', 0)
    .where('t.expires_at', '>', from)
    .where('t.expires_at', '<=', to)
    .where('u.kind', '=', 'human')
    .where('u.state', '=', 'active')
    .where('t.id', '>', after)
    .orderBy('t.id')
    .limit(limit)
    .execute();
}
