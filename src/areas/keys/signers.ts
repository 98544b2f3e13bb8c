import { type SqlBool, sql } from 'kysely';
import type { Reader } from '../../platform/database/database.ts';
import { escapeLike } from '../../platform/database/expressions.ts';
import type { GpgKeyRow } from './tables.ts';

/** The key that a signature names: by the id of the key itself, else by that of one of its subkeys. */
export async function findGpgSigner(db: Reader, keyId: string): Promise<GpgKeyRow | undefined> {
  const all = db.selectFrom('gpg_keys').selectAll().orderBy('id');
  const primary = await all.where('primary_keyid', '=', keyId).executeTakeFirst();
  if (primary) return primary;
  const named = `%"${escapeLike(keyId)}"%`;
  return all.where(sql<SqlBool>`subkeys like ${named} escape '\\'`).executeTakeFirst();
}
