import type { Services } from '../../../access/services.ts';
import type { User } from '../../../access/tables.ts';
import type { Database } from '../../../platform/database/database.ts';
import { uniqueViolation } from '../../../platform/database/errors.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { Invalid, NotFound } from '../../../platform/http/errors.ts';
import { Page } from '../../../platform/http/pages/pagination.ts';
import { instant } from '../../../platform/http/schema.ts';
import type { GpgKeyRow } from '../tables.ts';
import { parseGpgKey } from './public-key.ts';
import * as store from './store.ts';

const present = ({ id, key, created_at }: GpgKeyRow) => ({ id, key, created_at: instant(created_at) });
const longest = 512 * 1024;

export async function listGpgKeys(db: Database, user: User, slice: Slice) {
  const { rows, total } = await store.listGpgKeysOf(db.read, user.id, slice);
  return new Page(rows, total).map(present);
}

async function find(db: Database, user: User, id: number): Promise<GpgKeyRow> {
  const key = await store.findGpgKeyOf(db.read, user.id, id);
  if (!key) throw new NotFound('GPG Key');
  return key;
}

export async function getGpgKey(db: Database, user: User, id: number) {
  return present(await find(db, user, id));
}

const begins = '-----BEGIN PGP PUBLIC KEY BLOCK-----';
const ends = '-----END PGP PUBLIC KEY BLOCK-----';

export async function addGpgKey(services: Services, user: User, text: string) {
  const key = text.length > longest ? undefined : parseGpgKey(text);
  if (!key) {
    const hint = `A valid public GPG key begins with '${begins}' and ends with '${ends}'`;
    throw new Invalid({ key: [text.trim() === '' ? "can't be blank" : `is invalid. ${hint}`] });
  }
  const row = {
    user_id: user.id,
    key: text.trim(),
    fingerprint: key.fingerprint,
    primary_keyid: key.keyId,
    subkeys: JSON.stringify(key.subkeyIds),
    emails: JSON.stringify(key.emails),
    created_at: Date.now(),
  };
  try {
    const added = await services.db.write(async (trx) => {
      const inserted = await store.insertGpgKey(trx, row, key.subkeyIds);
      await services.announce(trx, 'key.added', { kind: 'gpg', key: inserted });
      return inserted;
    });
    return present(added);
  } catch (error) {
    const taken = ['has already been taken'];
    throw uniqueViolation(error) ? new Invalid({ fingerprint: taken, primary_keyid: taken }) : error;
  }
}

/** Deletes a key; signatures already verified stay verified. */
export async function removeGpgKey(
  services: Services,
  user: User,
  id: number,
  check: (changedAt: number) => void,
): Promise<void> {
  const key = await find(services.db, user, id);
  check(key.created_at);
  await remove(services, key, false);
}

/** Revokes a key: it is deleted, and signatures made with it become unverified. */
export async function revokeGpgKey(services: Services, user: User, id: number): Promise<void> {
  await remove(services, await find(services.db, user, id), true);
}

function remove(services: Services, key: GpgKeyRow, revoked: boolean): Promise<void> {
  return services.db.write(async (trx) => {
    await store.deleteGpgKey(trx, key.id);
    await services.announce(trx, 'key.removed', { kind: 'gpg', key, revoked });
  });
}
