import type { SignedInActor } from '../../../access/actor.ts';
import { readExpiry } from '../../../access/credentials/expiry.ts';
import { findUser, findUserByName } from '../../../access/credentials/identify.ts';
import { namespaceOf, ownerColumnsOf, type ProjectOrGroup } from '../../../access/project-or-group.ts';
import type { Services } from '../../../access/services.ts';
import type { User } from '../../../access/tables.ts';
import { lockEmail } from '../../../people/users/public.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { BadRequest, HttpError, NotFound } from '../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { checkUnmodified } from '../../../platform/http/responses/precondition.ts';
import { dayOrNull, instant } from '../../../platform/http/schema.ts';
import { digest, randomToken } from '../../../platform/secrets/tokens.ts';
import { checkHeldRoles, roleToGive } from '../../member-roles/public.ts';
import { checkDirectoryLock } from '../directory-lock.ts';
import { addMember, addOrConflict, changeMember, checkGrantTo, type Grant, refuseSynchronized } from '../membership.ts';
import { checkGrant, checkGroupRules, checkLevel, checkNamed } from '../rules.ts';
import { directMember, lockMembers } from '../store.ts';
import { errorText } from '../wording.ts';
import type { InvitationEntity, InvitedEntity, NewInvitationsParams } from './schema.ts';
import * as store from './store.ts';

/** Invites users by e-mail address or id; existing users become members immediately. */
export async function invite(
  services: Services,
  caller: SignedInActor,
  subject: ProjectOrGroup,
  { email = [], user_id = [], ...grant }: NewInvitationsParams,
): Promise<InvitedEntity> {
  const names = new Set([...email, ...user_id].map((name) => name.trim()).filter((name) => name !== ''));
  if (names.size === 0) throw new BadRequest('Must provide either email or user_id as a parameter');
  checkNamed(names);
  checkGrant(subject, grant.access_level);
  const message: Record<string, string> = {};
  for (const name of names) {
    try {
      await inviteOne(services, caller, subject, name, grant);
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      message[name] = errorText(error);
    }
  }
  return Object.keys(message).length === 0 ? { status: 'success' } : { status: 'error', message };
}

/** Finds a user by id, confirmed e-mail address or username. */
async function findInvitee(db: Reader, name: string): Promise<User | undefined> {
  if (/^\d{1,15}$/.test(name)) return findUser(db, Number(name));
  return name.includes('@') ? store.userOfAddress(db, name) : findUserByName(db, name);
}

async function inviteOne(
  services: Services,
  caller: SignedInActor,
  subject: ProjectOrGroup,
  name: string,
  grant: Grant,
): Promise<void> {
  const user = await findInvitee(services.db.read, name);
  if (user) {
    await addExistingUser(services, caller, subject, user, grant);
    return;
  }
  if (!name.includes('@')) throw new NotFound('User');
  checkLevel(subject, grant.access_level);
  await checkDirectoryLock(services, subject);
  // A group synchronized with a directory accepts no members by invitation either.
  await refuseSynchronized(services, services.db.read, subject);
  await countInvitationEmail(services, caller, subject);
  const waits = await services.db.write((trx) => sendInvitation(services, trx, caller, subject, name, grant));
  // The address was confirmed by a user while the invitation was being created.
  if (!waits) await inviteOne(services, caller, subject, name, grant);
}

/** Rate-limits invitations: each sends an e-mail with text chosen by the inviter. */
async function countInvitationEmail({ limits, config }: Services, { user }: SignedInActor, subject: ProjectOrGroup) {
  const text = 'Too many invitations have been sent. Try again later.';
  const [top] = namespaceOf(subject).full_path.split('/');
  for (const key of [`user ${user.id}`, `in ${top}`])
    await limits.spend('invitations', key, config.invitationRate, text);
}

/** Adds an existing user as a member; an existing member gets the given role and expiry date. */
async function addExistingUser(
  services: Services,
  caller: SignedInActor,
  subject: ProjectOrGroup,
  user: User,
  { expires_at = null, ...role }: Grant,
): Promise<void> {
  const grant = { ...role, expires_at };
  checkGrantTo(subject, user, grant);
  await addOrConflict(services, async (trx) => {
    await lockMembers(trx, subject);
    if (await directMember(trx, subject, user.id)) await changeMember(services, trx, caller, subject, user.id, grant);
    else await addMember(services, trx, caller, subject, user, grant);
  });
}

/** Stores an invitation until the address is confirmed; returns false if it already is. */
async function sendInvitation(
  { announce }: Services,
  trx: Writer,
  { user: by }: SignedInActor,
  subject: ProjectOrGroup,
  address: string,
  grant: Grant,
): Promise<boolean> {
  const { access_level, expires_at } = grant;
  const email = address.toLowerCase();
  const expires = readExpiry(expires_at);
  // A user who confirms the address concurrently either accepts this invitation or is found by the check below.
  await lockEmail(trx, email);
  if (await findInvitee(trx, email)) return false;
  await checkGroupRules(trx, subject, email);
  const columns = ownerColumnsOf(subject);
  const now = Date.now();
  const member_role_id = await roleToGive(trx, subject, grant);
  const sent = await store.findInvitation(trx, { ...columns, now }, email);
  if (sent) {
    checkGrant(subject, sent.access_level);
    await checkHeldRoles(trx, subject, [sent]);
    await store.updateInvitation(trx, sent.id, { access_level, member_role_id, expires_at: expires });
    return true;
  }
  // Only the digest is stored and returned; the token itself is sent by e-mail only.
  const token = randomToken();
  const row = { ...columns, email, token: digest(token), access_level, member_role_id, expires_at: expires };
  const invitation = await store.insertInvitation(trx, { ...row, created_by_id: by.id, created_at: now });
  await announce(trx, 'member.invited', { invitation, token, by });
  return true;
}

function presentInvitation(row: store.FoundInvitation): InvitationEntity {
  return {
    access_level: row.access_level,
    created_at: instant(row.created_at),
    expires_at: dayOrNull(row.expires_at),
    invite_email: row.email,
    invite_token: row.token,
    ...(row.user_name === null ? {} : { user_name: row.user_name }),
    created_by_name: row.created_by_name,
    ...(row.member_role_id === null ? {} : { member_role_id: row.member_role_id }),
  };
}

/** Lists pending invitations. */
export async function listInvitations(
  { db }: Services,
  subject: ProjectOrGroup,
  query: string | undefined,
  page: PageRequest,
): Promise<Page<InvitationEntity>> {
  const scope = { ...ownerColumnsOf(subject), now: Date.now() };
  const order = { by: 'id', direction: 'asc' } as const;
  const { rows, total } = await store.invitationList.page(db.read, scope, { query }, order, page);
  return new Page(rows, total).map(presentInvitation);
}

async function requireInvitation(db: Reader, subject: ProjectOrGroup, email: string): Promise<store.FoundInvitation> {
  const found = await store.findInvitation(db, { ...ownerColumnsOf(subject), now: Date.now() }, email.toLowerCase());
  if (!found) throw NotFound.record();
  return found;
}

/** Updates the role or expiry date of an invitation. */
export async function updateInvitation(
  services: Services,
  subject: ProjectOrGroup,
  email: string,
  { access_level, expires_at, member_role_id }: Partial<Grant>,
): Promise<InvitationEntity> {
  const { db } = services;
  await checkDirectoryLock(services, subject);
  const invitation = await requireInvitation(db.read, subject, email);
  if (access_level === undefined && expires_at === undefined && member_role_id === undefined) throw new BadRequest();
  checkGrant(subject, invitation.access_level);
  await checkHeldRoles(db.read, subject, [invitation]);
  const level = access_level ?? invitation.access_level;
  checkLevel(subject, level);
  checkGrant(subject, level);
  const expiry = expires_at === undefined ? {} : { expires_at: readExpiry(expires_at) };
  return db.write(async (trx) => {
    // A custom role belongs to its level, so it ends with it.
    const role =
      member_role_id === undefined && level === invitation.access_level ? invitation.member_role_id : member_role_id;
    const given = await roleToGive(trx, subject, { access_level: level, member_role_id: role });
    const change = { access_level: level, member_role_id: given, ...expiry };
    await store.updateInvitation(trx, invitation.id, change);
    return presentInvitation({ ...invitation, ...change });
  });
}

/** Deletes an invitation. */
export async function deleteInvitation(
  { db }: Services,
  subject: ProjectOrGroup,
  email: string,
  http: Parameters<typeof checkUnmodified>[0],
): Promise<void> {
  const invitation = await requireInvitation(db.read, subject, email);
  checkGrant(subject, invitation.access_level);
  await checkHeldRoles(db.read, subject, [invitation]);
  const { id, created_at, updated_at } = invitation;
  checkUnmodified(http, updated_at ?? created_at);
  await db.write((trx) => store.deleteInvitation(trx, id));
}

/** Accepts all invitations to an e-mail address when a user confirms it. */
export async function acceptPendingInvitations(
  { announce }: Services,
  trx: Writer,
  { userId, email }: { readonly userId: number; readonly email: string },
): Promise<void> {
  for (const member of await store.acceptInvitations(trx, userId, email)) {
    await announce(trx, 'member.added', { member, by: null });
    await announce(trx, 'invitation.accepted', { member });
  }
}
