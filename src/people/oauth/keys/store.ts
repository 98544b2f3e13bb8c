import type { Reader, Writer } from '../../../platform/database/database.ts';
import type { SigningKeyRow } from './tables.ts';

/** Returns all signing keys, newest first. */
export function signingKeys(db: Reader): Promise<SigningKeyRow[]> {
  return db.selectFrom('ci_signing_keys').selectAll().orderBy('id', 'desc').execute();
}

export function insertSigningKey(trx: Writer, row: Omit<SigningKeyRow, 'id'>): Promise<SigningKeyRow> {
  return trx.insertInto('ci_signing_keys').values(row).returningAll().executeTakeFirstOrThrow();
}
