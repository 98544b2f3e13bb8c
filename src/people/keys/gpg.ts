import type { User } from '../../access/tables.ts';
import type { Database, Reader, Writer } from '../../platform/database/database.ts';
import { uniqueViolation } from '../../platform/database/errors.ts';
import { fetchPage, type Slice } from '../../platform/database/paging.ts';
import { Invalid, NotFound } from '../../platform/http/errors.ts';
import { Page } from '../../platform/http/pagination.ts';
import { instant } from '../../platform/http/schema.ts';
import { parseGpgKey } from './gpg-key.ts';
import type { GpgKeyRow, NewGpgKey } from './tables.ts';
import { forgetVerified } from './verified.ts';

const present = ({ id, key, created_at }: GpgKeyRow) => ({ id, key, created_at: instant(created_at) });
const longest = 512 * 1024;

function ofUser(db: Reader, user: User) {
  return db.selectFrom('gpg_keys').selectAll().where('user_id', '=', user.id);
}

export async function listGpgKeys(db: Database, user: User, slice: Slice) {
  const { rows, total } = await fetchPage(db.read, ofUser(db.read, user).orderBy('id'), slice);
  return new Page(rows, total).map(present);
}

async function find(db: Database, user: User, id: number): Promise<GpgKeyRow> {
  const key = await ofUser(db.read, user).where('id', '=', id).executeTakeFirst();
  if (!key) throw new NotFound('GPG Key');
  return key;
}

export async function getGpgKey(db: Database, user: User, id: number) {
  return present(await find(db, user, id));
}

const begins = '-----BEGIN PGP PUBLIC KEY BLOCK-----';
const ends = '-----END PGP PUBLIC KEY BLOCK-----';

export async function addGpgKey(db: Database, user: User, text: string) {
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
    return present(await db.write((trx) => insertGpgKey(trx, row, key.subkeyIds)));
  } catch (error) {
    const taken = ['has already been taken'];
    throw uniqueViolation(error) ? new Invalid({ fingerprint: taken, primary_keyid: taken }) : error;
  }
}

async function insertGpgKey(trx: Writer, row: NewGpgKey, subkeyIds: readonly string[]): Promise<GpgKeyRow> {
  const added = await trx.insertInto('gpg_keys').values(row).returningAll().executeTakeFirstOrThrow();
  const subkeys = subkeyIds.map((keyid) => ({ gpg_key_id: added.id, keyid }));
  if (subkeys.length > 0) await trx.insertInto('gpg_key_subkeys').values(subkeys).execute();
  return added;
}

/** Removes a key; what was verified with it stays so. */
export async function removeGpgKey(
  db: Database,
  user: User,
  id: number,
  check: (changedAt: number) => void,
): Promise<void> {
  const key = await find(db, user, id);
  check(key.created_at);
  await db.write((trx) => deleteGpgKey(trx, key));
}

/** Removes a key that is not to be trusted, in what it signed before either. */
export async function revokeGpgKey(db: Database, user: User, id: number): Promise<void> {
  const key = await find(db, user, id);
  await db.write(async (trx) => {
    await deleteGpgKey(trx, key);
    await forgetVerified(trx, key.fingerprint);
  });
}

async function deleteGpgKey(trx: Writer, { id }: GpgKeyRow): Promise<void> {
  await trx.deleteFrom('gpg_keys').where('id', '=', id).execute();
}
