import { sql } from 'kysely';
import { belongsTo, type OwnerColumns } from '../../../access/project-or-group.ts';
import type { Member } from '../../../access/tables.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { fetchPage } from '../../../platform/list-kit/fetch-page.ts';
import { insideGroup } from '../group-scope-store.ts';
import type { AwaitingRow } from './tables.ts';

/** Stores ended memberships until they are approved. */
export async function insertAwaiting(trx: Writer, members: readonly Member[]): Promise<void> {
  const rows = members.map(({ id: _, updated_at: _changed, ...row }) => row);
  await trx
    .insertInto('awaiting_members')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Returns the awaiting memberships in a hierarchy of one user, or the one with an id. */
export function awaitingIn(db: Reader, groupId: number, of: { readonly user: number } | { readonly id: number }) {
  const query = db.selectFrom('awaiting_members').selectAll().where(insideGroup(groupId));
  return ('user' in of ? query.where('user_id', '=', of.user) : query.where('id', '=', of.id)).execute();
}

/** Deletes and returns the awaiting memberships of one user in a hierarchy, or a batch of any. */
export function deleteAwaiting(
  trx: Writer,
  groupId: number,
  of: { readonly user: number } | { readonly limit: number },
) {
  const query = trx.deleteFrom('awaiting_members').returningAll();
  if ('user' in of) return query.where(insideGroup(groupId)).where('user_id', '=', of.user).execute();
  const some = trx.selectFrom('awaiting_members').select('id').where(insideGroup(groupId)).limit(of.limit);
  return query.where('id', 'in', some).execute();
}

/** Turns an awaiting row into a membership; undefined if it expired meanwhile or a membership exists. */
export async function insertApproved(trx: Writer, { id: _, ...row }: AwaitingRow): Promise<Member | undefined> {
  if (row.expires_at !== null && row.expires_at <= Date.now()) return undefined;
  return trx
    .insertInto('members')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
}

/** Deletes the awaiting membership of a user in one project or group. */
export async function deleteAwaitingAt(trx: Writer, columns: OwnerColumns, userId: number): Promise<void> {
  await trx
    .deleteFrom('awaiting_members')
    .where(belongsTo('awaiting_members', columns))
    .where('user_id', '=', userId)
    .execute();
}

export async function deleteExpiredAwaiting(trx: Writer, now: number): Promise<void> {
  await trx.deleteFrom('awaiting_members').where('expires_at', '<=', now).execute();
}

interface Pending {
  id: number;
  user_id: number | null;
  email: string | null;
}

/** Users awaiting approval in a hierarchy, each once, followed by invited e-mail addresses, each once. */
export function listPending(db: Reader, groupId: number, now: number, slice: Slice) {
  const inside = insideGroup(groupId);
  const pending = sql<Pending>`(
    select min(id) as id, user_id, null as email from awaiting_members
      where ${inside} and (expires_at is null or expires_at > ${now}) group by user_id
    union all
    select min(id) as id, null as user_id, email from member_invitations
      where ${inside} and (expires_at is null or expires_at > ${now}) group by email)`;
  const query = db
    .selectFrom(pending.as('pending'))
    .select(['pending.id', 'pending.user_id', 'pending.email'])
    .orderBy(sql`case when pending.user_id is null then 1 else 0 end`)
    .orderBy('pending.id');
  return fetchPage(db, query, slice);
}
