import { sql } from 'kysely';
import { holdEmail } from '../../access/accounts.ts';
import type { Actor } from '../../access/actor.ts';
import { readExpiry } from '../../access/expiry.ts';
import { findUser, findUserByName } from '../../access/identify.ts';
import { belongs, columnsOf, type OwnerColumns, type ProjectOrGroup } from '../../access/project-or-group.ts';
import type { Services } from '../../access/services.ts';
import type { MemberInvitationsTable, User } from '../../access/tables.ts';
import type { Reader } from '../../platform/database/database.ts';
import { uniqueViolation } from '../../platform/database/errors.ts';
import { contains, sameIgnoringCase } from '../../platform/database/expressions.ts';
import { form } from '../../platform/database/form.ts';
import { shapedList } from '../../platform/database/shaped.ts';
import { Conflict, HttpError, Invalid, NotFound } from '../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../platform/http/pagination.ts';
import { dayOrNull, instant } from '../../platform/http/schema.ts';
import { digest, randomToken } from '../../platform/secrets/tokens.ts';
import { addMember, type Grant } from './add.ts';
import { checkGroupRules } from './group-rules.ts';
import { checkGrant, checkLevel } from './rules.ts';
import type { InvitationEntity, InvitedEntity } from './schema.ts';
import { inForce } from './store.ts';
import { why } from './wording.ts';

export interface Invitees extends Grant {
  readonly email?: readonly string[];
  readonly user_id?: readonly string[];
}

/** Invites people by address or number; those who have an account become members at once. */
export async function invite(
  services: Services,
  actor: Actor,
  place: ProjectOrGroup,
  wanted: Invitees,
): Promise<InvitedEntity> {
  checkGrant(place, wanted.access_level);
  const message: Record<string, string> = {};
  for (const name of new Set([...(wanted.email ?? []), ...(wanted.user_id ?? [])])) {
    try {
      await inviteOne(services, actor, place, name, wanted);
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      message[name] = why(error);
    }
  }
  return Object.keys(message).length === 0 ? { status: 'success' } : { status: 'error', message };
}

async function inviteOne(
  services: Services,
  actor: Actor,
  place: ProjectOrGroup,
  name: string,
  grant: Grant,
): Promise<void> {
  const user = await someoneKnownAs(services.db.read, name);
  if (user) {
    await addMember(services, actor, place, user, grant).catch((error: unknown) => {
      throw error instanceof Conflict ? new Conflict('User already exists in source') : error;
    });
    return;
  }
  if (!name.includes('@')) throw new NotFound('User');
  checkLevel(place, grant.access_level);
  try {
    await insertInvitation(services, actor, place, name.trim().toLowerCase(), grant);
  } catch (error) {
    if (!(error instanceof AccountAppeared)) throw error;
    await inviteOne(services, actor, place, name, grant);
  }
}

/** Somebody proved to own the address while they were being invited. */
class AccountAppeared extends Error {}

/** By number, by a confirmed address, or by user name. */
async function someoneKnownAs(db: Reader, name: string): Promise<User | undefined> {
  if (/^\d{1,15}$/.test(name)) return findUser(db, Number(name));
  if (!name.includes('@')) return findUserByName(db, name);
  return db
    .selectFrom('users')
    .innerJoin('emails', 'emails.user_id', 'users.id')
    .selectAll('users')
    .where('emails.confirmed_at', 'is not', null)
    .where((eb) => sameIgnoringCase(eb.ref('emails.email'), name.trim()))
    .executeTakeFirst();
}

async function insertInvitation(
  { db }: Services,
  actor: Actor,
  place: ProjectOrGroup,
  email: string,
  { access_level, expires_at }: Grant,
): Promise<void> {
  if (email.length > 255 || !/^[^\s@]+@[^\s@]+$/.test(email)) throw new Invalid({ invite_email: ['is invalid'] });
  const row = {
    ...columnsOf(place),
    email,
    // What is kept and shown is the digest: the token itself goes out by mail alone.
    token: digest(randomToken()),
    access_level,
    expires_at: readExpiry(expires_at),
    created_by_id: actor.user?.id ?? null,
    created_at: Date.now(),
  };
  await db
    .write(async (trx) => {
      // Whoever confirms the address at the same time becomes a member by this invitation, or is known from here on.
      await holdEmail(trx, email);
      if (await someoneKnownAs(trx, email)) throw new AccountAppeared();
      await checkGroupRules(trx, place, email);
      // One that has run out counts for nothing: it must not stand in the way of a new one.
      await trx
        .deleteFrom('member_invitations')
        .where(belongs('member_invitations', row))
        .where('email', '=', email)
        .where('expires_at', '<=', row.created_at)
        .execute();
      await trx.insertInto('member_invitations').values(row).execute();
    })
    .catch((error: unknown) => {
      throw uniqueViolation(error) ? new Invalid({ invite_email: ['has already been taken'] }) : error;
    });
}

interface InvitationQuestion extends OwnerColumns {
  readonly now: number;
  readonly search?: string | undefined;
  readonly email?: string;
}

const invitationsOf = shapedList(
  form<InvitationQuestion>()({ values: ['namespace_id', 'project_id', 'now', 'search', 'email'] }),
  (db, { search, email, now, ...place }) => {
    const query = db
      .selectFrom('member_invitations as i')
      .leftJoin('users as creator', 'creator.id', 'i.created_by_id')
      // Both sides as expressions: beside a column SQLite does not use the index of addresses.
      .leftJoin('users as invitee', (join) => join.on(sql<boolean>`lower(invitee.email) = lower(i.email)`))
      .selectAll('i')
      .select(['creator.name as created_by_name', 'invitee.name as user_name'])
      .where(belongs('i', place))
      .where(inForce('i', now))
      .orderBy('i.id');
    if (email) return query.where('i.email', '=', email);
    return search ? query.where((eb) => contains(eb.ref('i.email'), search)) : query;
  },
);

type InvitationRow = Omit<MemberInvitationsTable, 'id'> & {
  created_by_name: string | null;
  user_name: string | null;
};

function present(row: InvitationRow): InvitationEntity {
  return {
    access_level: row.access_level,
    created_at: instant(row.created_at),
    expires_at: dayOrNull(row.expires_at),
    invite_email: row.email,
    invite_token: row.token,
    ...(row.user_name === null ? {} : { user_name: row.user_name }),
    created_by_name: row.created_by_name,
  };
}

/** The invitations that wait. */
export async function listInvitations(
  { db }: Services,
  place: ProjectOrGroup,
  query: string | undefined,
  page: PageRequest,
): Promise<Page<InvitationEntity>> {
  const question = { ...columnsOf(place), now: Date.now(), search: query || undefined };
  const { rows, total } = await invitationsOf.page(db.read, question, page);
  return new Page(rows, total).map(present);
}

async function findInvitation(db: Reader, place: ProjectOrGroup, email: string) {
  const found = await invitationsOf.first(db, { ...columnsOf(place), now: Date.now(), email: email.toLowerCase() });
  if (!found) throw NotFound.record();
  return found;
}

/** Changes the role that waits for someone, or the day on which it will end. */
export async function updateInvitation(
  { db }: Services,
  place: ProjectOrGroup,
  email: string,
  { access_level, expires_at }: Partial<Grant>,
): Promise<InvitationEntity> {
  const invitation = await findInvitation(db.read, place, email);
  checkGrant(place, invitation.access_level);
  const level = access_level ?? invitation.access_level;
  checkLevel(place, level);
  checkGrant(place, level);
  const change = {
    access_level: level,
    ...(expires_at === undefined ? {} : { expires_at: readExpiry(expires_at) }),
  };
  await db.write((trx) => trx.updateTable('member_invitations').set(change).where('id', '=', invitation.id).execute());
  return present({ ...invitation, ...change });
}

/** Takes an invitation back. */
export async function deleteInvitation({ db }: Services, place: ProjectOrGroup, email: string): Promise<void> {
  const { id, access_level } = await findInvitation(db.read, place, email);
  checkGrant(place, access_level);
  await db.write((trx) => trx.deleteFrom('member_invitations').where('id', '=', id).execute());
}
