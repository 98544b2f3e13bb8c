import type { Database, Reader, Writer } from '../../platform/database/database.ts';
import { sameIgnoringCase } from '../../platform/database/expressions.ts';
import type { NewVerifiedSignature, VerifiedSignatureRow } from './tables.ts';

/** Finds the stored verification of a commit or tag. */
export function findVerified(db: Reader, oid: string): Promise<VerifiedSignatureRow | undefined> {
  return db.selectFrom('verified_signatures').selectAll().where('oid', '=', oid).executeTakeFirst();
}

/** Stores that an object was verified; an existing row is kept. */
export async function storeVerification(db: Database, row: NewVerifiedSignature): Promise<void> {
  await db.write(async (trx) => {
    const key = trx
      .selectFrom('gpg_keys')
      .select('id')
      .where('fingerprint', '=', row.key_fingerprint)
      // Held until the row is written, so that a concurrent revocation of the key deletes it too.
      .$if(db.engine === 'postgres', (query) => query.forShare());
    if (row.gpg_keyid !== null && !(await key.executeTakeFirst())) return;
    await trx
      .insertInto('verified_signatures')
      .values(row)
      .onConflict((on) => on.column('oid').doNothing())
      .execute();
  });
}

/** Deletes all verifications by a key. */
export async function deleteVerificationsByKey(trx: Writer, fingerprint: string): Promise<void> {
  await trx.deleteFrom('verified_signatures').where('key_fingerprint', '=', fingerprint).execute();
}

export function findUsername(db: Reader, id: number): Promise<{ id: number; username: string } | undefined> {
  return db.selectFrom('users').select(['id', 'username']).where('id', '=', id).executeTakeFirst();
}

/** Returns the user who confirmed an e-mail address. */
export async function confirmedOwner(db: Reader, email: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('emails')
    .select('user_id')
    .where((eb) => sameIgnoringCase(eb.ref('email'), email))
    .where('confirmed_at', 'is not', null)
    .executeTakeFirst();
  return row?.user_id;
}
