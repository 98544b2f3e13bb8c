import type { Session } from '../../access/tables.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import type { Slice } from '../../platform/database/paging.ts';
import { fetchPage } from '../../platform/list-kit/fetch-page.ts';

export function listSessionsOf(db: Reader, user: number, now: number, slice: Slice) {
  const query = db.selectFrom('sessions').selectAll().where('user_id', '=', user).where('expires_at', '>', now);
  return fetchPage(db, query.orderBy('id', 'desc'), slice);
}

export async function insertSession(trx: Writer, row: Omit<Session, 'id'>): Promise<Session> {
  return trx.insertInto('sessions').values(row).returningAll().executeTakeFirstOrThrow();
}

/** Returns whether the session existed. */
export async function deleteSession(trx: Writer, user: number, id: number): Promise<boolean> {
  const result = await trx.deleteFrom('sessions').where('user_id', '=', user).where('id', '=', id).executeTakeFirst();
  return result.numDeletedRows > 0n;
}

export async function deleteByDigest(trx: Writer, digest: string): Promise<void> {
  await trx.deleteFrom('sessions').where('digest', '=', digest).execute();
}

/** Whether the user has a session from this address or with this digest. */
export async function hasKnownSession(
  db: Reader,
  user: number,
  ip: string,
  digest: string | undefined,
): Promise<boolean> {
  const found = await db
    .selectFrom('sessions')
    .select('id')
    .where('user_id', '=', user)
    .where((eb) => eb.or([eb('ip', '=', ip), ...(digest === undefined ? [] : [eb('digest', '=', digest)])]))
    .executeTakeFirst();
  return found !== undefined;
}

export async function endSessionsOf(trx: Writer, user: number): Promise<void> {
  await trx.deleteFrom('sessions').where('user_id', '=', user).execute();
}

export async function endOtherSessions(trx: Writer, user: number, digest: string): Promise<void> {
  await trx.deleteFrom('sessions').where('user_id', '=', user).where('digest', '<>', digest).execute();
}

export async function deleteExpiredSessions(trx: Writer, now: number): Promise<void> {
  await trx.deleteFrom('sessions').where('expires_at', '<=', now).execute();
}
