import type { Reader, Writer } from '../../../platform/database/database.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { type Param, statement } from '../../../platform/database/statement.ts';
import { fetchPage } from '../../../platform/list-kit/fetch-page.ts';
import type { NewSshKey, SshKeyRow } from '../tables.ts';

const byFingerprint = statement((db, param: Param<{ sha256: string }>) =>
  db.selectFrom('ssh_keys').selectAll().where('fingerprint_sha256', '=', param('sha256')),
);

/** Finds a user key or deploy key. */
export function findBySha256(db: Reader, sha256: string): Promise<SshKeyRow | undefined> {
  return byFingerprint.first(db, { sha256 });
}

export function findByMd5(db: Reader, md5: string): Promise<SshKeyRow | undefined> {
  return db.selectFrom('ssh_keys').selectAll().where('fingerprint_md5', '=', md5).orderBy('id').executeTakeFirst();
}

export function findSshKey(db: Reader, id: number): Promise<SshKeyRow | undefined> {
  return db.selectFrom('ssh_keys').selectAll().where('id', '=', id).executeTakeFirst();
}

function keysOf(db: Reader, user: number) {
  return db.selectFrom('ssh_keys').selectAll().where('user_id', '=', user).where('deploy', '=', 0);
}

/** Returns a key of a user; deploy keys are excluded. */
export function findKeyOf(db: Reader, user: number, id: number): Promise<SshKeyRow | undefined> {
  return keysOf(db, user).where('id', '=', id).executeTakeFirst();
}

export function listKeysOf(db: Reader, user: number, slice: Slice): Promise<{ rows: SshKeyRow[]; total: number }> {
  return fetchPage(db, keysOf(db, user).orderBy('id'), slice);
}

export function insertSshKey(trx: Writer, row: NewSshKey): Promise<SshKeyRow> {
  return trx.insertInto('ssh_keys').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function deleteSshKey(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('ssh_keys').where('id', '=', id).execute();
}

/** Keeps the deploy keys added by a deleted user: they belong to the project. */
export async function releaseDeployKeys(trx: Writer, user: number): Promise<void> {
  await trx
    .updateTable('ssh_keys')
    .set({ user_id: null })
    .where('user_id', '=', user)
    .where('deploy', '>', 0)
    .execute();
}

export async function renameSshKey(trx: Writer, id: number, title: string): Promise<void> {
  await trx.updateTable('ssh_keys').set({ title }).where('id', '=', id).execute();
}

export async function recordSshKeyUse(trx: Writer, id: number, at: number): Promise<void> {
  await trx.updateTable('ssh_keys').set({ last_used_at: at }).where('id', '=', id).execute();
}

/** Whether a user has an SSH key usable for signing. */
export async function hasSigningSshKey(db: Reader, user: number): Promise<boolean> {
  const own = db.selectFrom('ssh_keys').select('id').where('user_id', '=', user).where('deploy', '=', 0);
  return (await own.where('usage_type', '!=', 'auth').limit(1).executeTakeFirst()) !== undefined;
}
