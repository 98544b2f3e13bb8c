import { type Insertable, type Kysely, sql } from 'kysely';
import { belongsTo, type OwnerColumns } from '../../../access/project-or-group.ts';
import type { Member, MemberInvitationsTable, User } from '../../../access/tables.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { sameIgnoringCase } from '../../../platform/database/expressions.ts';
import { type BoundFilterOf, boundProperties } from '../../../platform/database/form.ts';
import { SearchIndex } from '../../../platform/database/search-index.ts';
import type { Tables } from '../../../platform/database/tables.ts';
import { list } from '../../../platform/list-kit/list.ts';
import { byId } from '../../../platform/list-kit/order.ts';
import { searchFilters } from '../../../platform/list-kit/searching.ts';
import { type StoredCount, storedCountOf } from '../../../platform/list-kit/stored-count.ts';
import { notExpired } from '../store.ts';
import type { InvitationRow } from '../tables.ts';

/** An invitation with the name of its sender and of a user who has since registered the address. */
export interface FoundInvitation extends InvitationRow {
  created_by_name: string | null;
  user_name: string | null;
}

/** A project or group, and the time at which invitations must not have expired. */
interface InvitationScope extends OwnerColumns {
  readonly now: number;
}

const scope = boundProperties<InvitationScope>()({ values: ['namespace_id', 'project_id', 'now'] });

function waiting(db: Kysely<Tables>, { now, ...owner }: InvitationScope | BoundFilterOf<typeof scope>) {
  // Subselects instead of joins, so that the list is counted without them.
  return db
    .selectFrom('member_invitations')
    .selectAll('member_invitations')
    .select([
      sql<string | null>`(select name from users where id = member_invitations.created_by_id)`.as('created_by_name'),
      // Both sides are expressions: SQLite does not use the expression index when comparing with a plain column.
      sql<string | null>`(select name from users where lower(email) = lower(member_invitations.email))`.as('user_name'),
    ])
    .where(belongsTo('member_invitations', owner))
    .where(notExpired('member_invitations', now));
}

/** The stored count minus expired invitations, which are deleted daily. */
function known({ now, ...owner }: BoundFilterOf<typeof scope>): StoredCount | undefined {
  const all = storedCountOf('member_invitations', owner);
  return (
    all &&
    sql<number>`${all} - (select count(*) from member_invitations
    where ${belongsTo('member_invitations', owner)} and expires_at <= ${now})`
  );
}

const invitationSearch = new SearchIndex({ table: 'member_invitations', columns: ['email'] });

/** Pending invitations of a project or group. */
export const invitationList = list({
  id: 'member_invitations.id',
  scope,
  filters: {
    query: searchFilters({ index: invitationSearch, columns: { email: 'member_invitations.email' } }).search,
  },
  orders: { id: byId },
  kept: known,
  select: waiting,
});

/** Returns the invitation to an address. */
export function findInvitation(
  db: Reader,
  within: InvitationScope,
  email: string,
): Promise<FoundInvitation | undefined> {
  return waiting(db, within).where('member_invitations.email', '=', email).executeTakeFirst();
}

/** Finds the user with this confirmed address, or the bot with this generated address. */
export async function userOfAddress(db: Reader, email: string): Promise<User | undefined> {
  const owner = await db
    .selectFrom('users')
    .innerJoin('emails', 'emails.user_id', 'users.id')
    .selectAll('users')
    .where('emails.confirmed_at', 'is not', null)
    .where((eb) => sameIgnoringCase(eb.ref('emails.email'), email))
    .executeTakeFirst();
  if (owner) return owner;
  return db
    .selectFrom('users')
    .selectAll()
    .where((eb) => sameIgnoringCase(eb.ref('users.email'), email))
    .where('kind', '=', 'project_bot')
    .executeTakeFirst();
}

/** Inserts an invitation, replacing an expired one. */
export async function insertInvitation(
  trx: Writer,
  row: Insertable<MemberInvitationsTable> & OwnerColumns,
): Promise<InvitationRow> {
  await trx
    .deleteFrom('member_invitations')
    .where(belongsTo('member_invitations', row))
    .where('email', '=', row.email)
    .where('expires_at', '<=', row.created_at)
    .execute();
  return trx.insertInto('member_invitations').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function updateInvitation(
  trx: Writer,
  id: number,
  change: Partial<Pick<InvitationRow, 'access_level' | 'member_role_id' | 'expires_at'>>,
): Promise<void> {
  const columns = { ...change, updated_at: Date.now() };
  await trx.updateTable('member_invitations').set(columns).where('id', '=', id).execute();
}

export async function deleteInvitation(trx: Writer, id: number): Promise<void> {
  await trx.deleteFrom('member_invitations').where('id', '=', id).execute();
}

export async function deleteExpiredInvitations(trx: Writer, now: number): Promise<void> {
  await trx.deleteFrom('member_invitations').where('expires_at', '<=', now).execute();
}

/** Turns the invitations to an e-mail address into memberships of the user who confirmed it; returns the new ones. */
export async function acceptInvitations(trx: Writer, userId: number, email: string): Promise<Member[]> {
  // Deletes the invitations first, so that each is accepted only once and cannot be removed concurrently with its
  // group.
  const accepted = await trx
    .deleteFrom('member_invitations')
    .where('email', '=', email.toLowerCase())
    .returningAll()
    .execute();
  const now = Date.now();
  const members: Member[] = [];
  for (const { namespace_id, project_id, access_level, member_role_id, expires_at, created_by_id } of accepted) {
    if (expires_at !== null && expires_at <= now) continue;
    const grant = { namespace_id, project_id, access_level, member_role_id, expires_at, created_by_id };
    const member = await trx
      .insertInto('members')
      .values({ ...grant, user_id: userId, created_at: now })
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .executeTakeFirst();
    if (member) members.push(member);
  }
  return members;
}
