import type { Insertable } from 'kysely';
import type { OAuthToken, OAuthTokensTable } from '../../access/tables.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { fetchPage } from '../../platform/list-kit/fetch-page.ts';
import type {
  OAuthApplication,
  OAuthApplicationsTable,
  OAuthDevice,
  OAuthDevicesTable,
  OAuthGrant,
  OAuthGrantsTable,
} from './tables.ts';

/** Lists the applications of an owner or of the instance, newest first. */
export function listApplications(db: Reader, owner: number | null, slice: Slice) {
  const all = db.selectFrom('oauth_applications').selectAll();
  const own = owner === null ? all.where('owner_id', 'is', null) : all.where('owner_id', '=', owner);
  return fetchPage(db, own.orderBy('id', 'desc'), slice);
}

/** Lists the applications a user has authorized. */
export function listAuthorized(db: Reader, user: number, slice: Slice) {
  const theirs = db
    .selectFrom('oauth_tokens')
    .select('application_id')
    .where('user_id', '=', user)
    .where('revoked', '=', 0);
  const query = db.selectFrom('oauth_applications').selectAll().where('id', 'in', theirs);
  return fetchPage(db, query.orderBy('id', 'desc'), slice);
}

export function insertApplication(trx: Writer, row: Insertable<OAuthApplicationsTable>): Promise<OAuthApplication> {
  return trx.insertInto('oauth_applications').values(row).returningAll().executeTakeFirstOrThrow();
}

export function applicationById(db: Reader, id: number): Promise<OAuthApplication | undefined> {
  return db.selectFrom('oauth_applications').selectAll().where('id', '=', id).executeTakeFirst();
}

export function applicationByUid(db: Reader, uid: string): Promise<OAuthApplication | undefined> {
  return db.selectFrom('oauth_applications').selectAll().where('uid', '=', uid).executeTakeFirst();
}

export async function setSecret(trx: Writer, id: number, secret_digest: string): Promise<void> {
  await trx.updateTable('oauth_applications').set({ secret_digest }).where('id', '=', id).execute();
}

/** Returns whether the application existed. */
export async function deleteApplication(trx: Writer, id: number): Promise<boolean> {
  const result = await trx.deleteFrom('oauth_applications').where('id', '=', id).executeTakeFirst();
  return result.numDeletedRows > 0n;
}

export async function insertGrant(trx: Writer, row: Insertable<OAuthGrantsTable>): Promise<void> {
  await trx.insertInto('oauth_grants').values(row).execute();
}

export function grantByDigest(db: Reader, digest: string): Promise<OAuthGrant | undefined> {
  return db.selectFrom('oauth_grants').selectAll().where('digest', '=', digest).executeTakeFirst();
}

/** Marks a grant as used; of concurrent requests only the first succeeds. */
export async function useGrant(trx: Writer, id: number): Promise<boolean> {
  const used = await trx
    .updateTable('oauth_grants')
    .set({ used: 1 })
    .where('id', '=', id)
    .where('used', '=', 0)
    .executeTakeFirst();
  return used.numUpdatedRows > 0n;
}

export async function insertDevice(trx: Writer, row: Insertable<OAuthDevicesTable>): Promise<void> {
  await trx.insertInto('oauth_devices').values(row).execute();
}

export function deviceByDigest(db: Reader, digest: string): Promise<OAuthDevice | undefined> {
  return db.selectFrom('oauth_devices').selectAll().where('digest', '=', digest).executeTakeFirst();
}

/** Returns a pending device authorization. */
export function deviceByUserCode(db: Reader, code: string, now: number): Promise<OAuthDevice | undefined> {
  return db
    .selectFrom('oauth_devices')
    .selectAll()
    .where('user_code', '=', code)
    .where('user_id', 'is', null)
    .where('denied', '=', 0)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

/** Records the answer for a device; only the first answer counts. */
export async function answerDevice(
  trx: Writer,
  id: number,
  answer: { user_id: number } | { denied: 1 },
): Promise<boolean> {
  const answered = await trx
    .updateTable('oauth_devices')
    .set(answer)
    .where('id', '=', id)
    .where('user_id', 'is', null)
    .where('denied', '=', 0)
    .executeTakeFirst();
  return answered.numUpdatedRows > 0n;
}

export async function recordPoll(trx: Writer, id: number, polled_at: number): Promise<void> {
  await trx.updateTable('oauth_devices').set({ polled_at }).where('id', '=', id).execute();
}

/** Returns whether the authorization still existed, so that it is redeemed only once. */
export async function deleteDevice(trx: Writer, id: number): Promise<boolean> {
  const result = await trx.deleteFrom('oauth_devices').where('id', '=', id).executeTakeFirst();
  return result.numDeletedRows > 0n;
}

export async function insertToken(trx: Writer, row: Insertable<OAuthTokensTable>): Promise<void> {
  await trx.insertInto('oauth_tokens').values(row).execute();
}

export function tokenByDigest(db: Reader, digest: string): Promise<OAuthToken | undefined> {
  return db.selectFrom('oauth_tokens').selectAll().where('digest', '=', digest).executeTakeFirst();
}

export function tokenByRefreshDigest(db: Reader, digest: string): Promise<OAuthToken | undefined> {
  return db.selectFrom('oauth_tokens').selectAll().where('refresh_digest', '=', digest).executeTakeFirst();
}

/** Revokes a token; of concurrent requests only the first succeeds. */
export async function revokeToken(trx: Writer, id: number): Promise<boolean> {
  const ended = await trx
    .updateTable('oauth_tokens')
    .set({ revoked: 1 })
    .where('id', '=', id)
    .where('revoked', '=', 0)
    .executeTakeFirst();
  return ended.numUpdatedRows > 0n;
}

/** Revokes all tokens of an authorization. */
export async function revokeFamily(trx: Writer, family: string): Promise<void> {
  await trx.updateTable('oauth_tokens').set({ revoked: 1 }).where('family', '=', family).execute();
}

/** Revokes a user's authorization of an application; returns whether there was one. */
export async function revokeAuthorization(trx: Writer, user: number, application: number): Promise<boolean> {
  const grants = trx.deleteFrom('oauth_grants').where('user_id', '=', user).where('application_id', '=', application);
  await grants.execute();
  const ended = await trx
    .updateTable('oauth_tokens')
    .set({ revoked: 1 })
    .where('user_id', '=', user)
    .where('application_id', '=', application)
    .where('revoked', '=', 0)
    .executeTakeFirst();
  return ended.numUpdatedRows > 0n;
}

/** Deletes expired codes and devices, and revoked tokens created before `before`. */
export async function deleteExpiredGrants(trx: Writer, now: number, before: number): Promise<void> {
  await trx.deleteFrom('oauth_grants').where('expires_at', '<=', now).execute();
  await trx.deleteFrom('oauth_devices').where('expires_at', '<=', now).execute();
  await trx.deleteFrom('oauth_tokens').where('created_at', '<=', before).where('revoked', '=', 1).execute();
}
