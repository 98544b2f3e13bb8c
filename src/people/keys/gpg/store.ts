import type { Reader, Writer } from '../../../platform/database/database.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { fetchPage } from '../../../platform/list-kit/fetch-page.ts';
import type { GpgKeyRow, NewGpgKey } from '../tables.ts';

/** A key that may have made a signature. */
export interface GpgSigner {
  readonly key: GpgKeyRow;
  /** The subkey with the signature's key id; null if it is the primary key. */
  readonly subkeyId: number | null;
}

// Anyone can upload a key that falsely claims another user's subkey. Such a claim fails verification, but it must not
// hide the real owner's key.
const maxClaims = 5;

/** Returns the keys that a key id may refer to: the primary key with this id, otherwise the keys with such a subkey. */
export async function findGpgSigners(db: Reader, keyId: string): Promise<GpgSigner[]> {
  const primary = await db
    .selectFrom('gpg_keys')
    .selectAll()
    .where('primary_keyid', '=', keyId)
    .orderBy('id')
    .executeTakeFirst();
  if (primary) return [{ key: primary, subkeyId: null }];
  const rows = await db
    .selectFrom('gpg_key_subkeys as s')
    .innerJoin('gpg_keys as k', 'k.id', 's.gpg_key_id')
    .selectAll('k')
    .select('s.id as subkeyId')
    .where('s.keyid', '=', keyId)
    .orderBy('s.id')
    .limit(maxClaims)
    .execute();
  return rows.map(({ subkeyId, ...key }) => ({ key, subkeyId }));
}

function ofUser(db: Reader, user: number) {
  return db.selectFrom('gpg_keys').selectAll().where('user_id', '=', user);
}

export function listGpgKeysOf(db: Reader, user: number, slice: Slice): Promise<{ rows: GpgKeyRow[]; total: number }> {
  return fetchPage(db, ofUser(db, user).orderBy('id'), slice);
}

export function findGpgKeyOf(db: Reader, user: number, id: number): Promise<GpgKeyRow | undefined> {
  return ofUser(db, user).where('id', '=', id).executeTakeFirst();
}

export async function hasGpgKey(db: Reader, user: number): Promise<boolean> {
  const found = await db.selectFrom('gpg_keys').select('id').where('user_id', '=', user).limit(1).executeTakeFirst();
  return found !== undefined;
}

export async function insertGpgKey(trx: Writer, row: NewGpgKey, subkeyIds: readonly string[]): Promise<GpgKeyRow> {
  const added = await trx.insertInto('gpg_keys').values(row).returningAll().executeTakeFirstOrThrow();
  const subkeys = subkeyIds.map((keyid) => ({ gpg_key_id: added.id, keyid }));
  if (subkeys.length > 0) await trx.insertInto('gpg_key_subkeys').values(subkeys).execute();
  return added;
}

export async function deleteGpgKey(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('gpg_keys').where('id', '=', id).execute();
}
