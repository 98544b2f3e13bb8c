import type { Reader } from '../../platform/database/database.ts';
import type { GpgKeyRow } from './tables.ts';

/** A key that a signature may have been made with. */
export interface GpgSigner {
  readonly key: GpgKeyRow;
  /** The subkey whose id the signature has; null when it is that of the key itself. */
  readonly subkeyId: number | null;
}

// Anybody can upload a key that claims another's subkey as its own. The claim does not hold, but neither may it hide
// the owner's.
const mostClaims = 5;

/** The keys that a signature may mean by an id: the one whose own it is, else those that have such a subkey. */
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
    .limit(mostClaims)
    .execute();
  return rows.map(({ subkeyId, ...key }) => ({ key, subkeyId }));
}
