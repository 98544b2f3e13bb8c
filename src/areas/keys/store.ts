import type { Reader, Writer } from '../../platform/database/database.ts';
import { fetchPage, type Slice } from '../../platform/database/paging.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import type { NewSshKey, SshKeyRow } from './tables.ts';

const byFingerprint = statement((db, param: Param<{ sha256: string }>) =>
  db.selectFrom('ssh_keys').selectAll().where('fingerprint_sha256', '=', param('sha256')),
);

/** Keys of deployments included. */
export function findBySha256(db: Reader, sha256: string): Promise<SshKeyRow | undefined> {
  return byFingerprint.first(db, { sha256 });
}

export function findByMd5(db: Reader, md5: string): Promise<SshKeyRow | undefined> {
  return db.selectFrom('ssh_keys').selectAll().where('fingerprint_md5', '=', md5).orderBy('id').executeTakeFirst();
}

export function findSshKey(db: Reader, id: number): Promise<SshKeyRow | undefined> {
  return db.selectFrom('ssh_keys').selectAll().where('id', '=', id).executeTakeFirst();
}

/** A key of one user, not of a deployment. */
export function findKeyOf(db: Reader, user: number, id: number): Promise<SshKeyRow | undefined> {
  return ofUser(db, user).where('id', '=', id).executeTakeFirst();
}

export function listKeysOf(db: Reader, user: number, slice: Slice): Promise<{ rows: SshKeyRow[]; total: number }> {
  return fetchPage(db, ofUser(db, user).orderBy('id'), slice);
}

function ofUser(db: Reader, user: number) {
  return db.selectFrom('ssh_keys').selectAll().where('user_id', '=', user).where('deploy', '=', 0);
}

export function insertSshKey(trx: Writer, row: NewSshKey): Promise<SshKeyRow> {
  return trx.insertInto('ssh_keys').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function deleteSshKey(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('ssh_keys').where('id', '=', id).execute();
}
