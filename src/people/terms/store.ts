import type { Reader, Writer } from '../../platform/database/database.ts';

/** Returns the id of a text, storing it on first acceptance. */
export async function storeTerms(trx: Writer, digest: string, text: string, now: number): Promise<number> {
  await trx
    .insertInto('terms')
    .values({ digest, text, created_at: now })
    .onConflict((conflict) => conflict.column('digest').doNothing())
    .execute();
  return (await trx.selectFrom('terms').select('id').where('digest', '=', digest).executeTakeFirstOrThrow()).id;
}

interface Acceptance {
  readonly user_id: number;
  readonly terms_id: number;
  readonly ip: string;
  readonly accepted_at: number;
}

/** Records an acceptance; repeated ones are ignored. */
export async function recordAcceptance(trx: Writer, row: Acceptance): Promise<void> {
  await trx
    .insertInto('terms_acceptances')
    .values(row)
    .onConflict((conflict) => conflict.columns(['user_id', 'terms_id']).doNothing())
    .execute();
}

/** Returns when a user accepted a text, if they did. */
export async function acceptedAt(db: Reader, user: number, digest: string): Promise<number | undefined> {
  const found = await db
    .selectFrom('terms_acceptances as a')
    .innerJoin('terms as t', 't.id', 'a.terms_id')
    .select('a.accepted_at')
    .where('a.user_id', '=', user)
    .where('t.digest', '=', digest)
    .executeTakeFirst();
  return found?.accepted_at;
}
