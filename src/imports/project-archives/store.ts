import type { Reader } from '../../platform/database/database.ts';

/** Whoever has confirmed an address as theirs. */
export async function userOfEmail(db: Reader, email: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('emails as e')
    .innerJoin('users as u', 'u.id', 'e.user_id')
    .select('u.id')
    .where((eb) => eb(eb.fn<string>('lower', ['e.email']), '=', email.toLowerCase()))
    .where('e.confirmed_at', 'is not', null)
    .where('u.kind', '=', 'human')
    .executeTakeFirst();
  return row?.id;
}
