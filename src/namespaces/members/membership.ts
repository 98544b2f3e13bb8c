import type { SignedInActor } from '../../access/actor.ts';
import { readExpiry } from '../../access/credentials/expiry.ts';
import { findUser } from '../../access/credentials/identify.ts';
import { selfAndAncestorIds } from '../../access/namespaces/hierarchy.ts';
import { isProject, namespaceOf, ownerColumnsOf, type ProjectOrGroup } from '../../access/project-or-group.ts';
import { Role } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import type { Member, User } from '../../access/tables.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { uniqueViolation } from '../../platform/database/errors.ts';
import { Conflict, Forbidden, Invalid, NotFound } from '../../platform/http/errors.ts';
import { isSynchronized } from '../ldap-group-links/public.ts';
import { checkHeldRoles, type LevelAndRole, roleToGive } from '../member-roles/public.ts';
import { isBanned } from './bans/store.ts';
import { checkDirectoryLock } from './directory-lock.ts';
import { checkGrant, checkGroupRules, checkInherited, checkLevel } from './rules.ts';
import * as store from './store.ts';

/** The role to grant, and its expiry date. */
export interface Grant extends LevelAndRole {
  readonly expires_at?: string | null;
}

/** Runs an addition of a member; if a concurrent request added it first, reports the conflict. */
export async function addOrConflict<T>({ db }: Services, add: (trx: Writer) => Promise<T>): Promise<T> {
  return db.write(add).catch((error: unknown) => {
    throw uniqueViolation(error) ? new Conflict('Member already exists') : error;
  });
}

/** Checks a grant as far as possible without querying the database. */
export function checkGrantTo(subject: ProjectOrGroup, user: User, { access_level, expires_at }: Grant): void {
  checkLevel(subject, access_level);
  checkGrant(subject, access_level);
  readExpiry(expires_at);
  checkBot(subject, user);
}

/** Adds a user without a direct role as a member, enforcing all rules. */
export async function addMember(
  services: Services,
  trx: Writer,
  caller: SignedInActor,
  subject: ProjectOrGroup,
  user: User,
  grant: Grant,
): Promise<void> {
  const { access_level, expires_at } = grant;
  await checkDirectoryLock(services, subject);
  await refuseSynchronized(services, trx, subject);
  if (await isBanned(trx, namespaceOf(subject).id, user.id)) {
    throw new Invalid({ user: ['is banned from the group'] });
  }
  checkGrantTo(subject, user, grant);
  await checkServiceAccount(trx, subject, user);
  await checkInherited(trx, subject, user.id, access_level);
  await checkGroupRules(trx, subject, user.kind === 'human' ? user.email : undefined);
  const member = await store.insertMember(trx, ownerColumnsOf(subject), {
    user_id: user.id,
    access_level,
    member_role_id: await roleToGive(trx, subject, grant),
    expires_at: readExpiry(expires_at),
    created_by_id: caller.user.id,
  });
  await services.announce(trx, 'member.added', { member, by: caller.user });
}

/** The members of a group synchronized with a directory cannot be managed by hand. */
export async function refuseSynchronized(services: Services, db: Reader, subject: ProjectOrGroup): Promise<void> {
  if (!isProject(subject) && (await isSynchronized(services, db, subject.group.id))) throw new Forbidden();
}

/** The bot of an access token can only be a member where the token belongs. */
function checkBot(subject: ProjectOrGroup, user: User): void {
  if (user.kind !== 'project_bot') return;
  const own = isProject(subject)
    ? user.bot_project_id === subject.project.id
    : user.bot_namespace_id === subject.group.id;
  if (!own) throw new Invalid({ user_id: ['project bots cannot be added to other groups / projects'] });
}

/**
 * A service account can only be a member of the project or group it was created for, and below; an instance-level one
 * anywhere.
 */
async function checkServiceAccount(db: Reader, subject: ProjectOrGroup, user: User): Promise<void> {
  if (user.kind !== 'service_account') return;
  const { bot_project_id: project, provisioned_by_group_id: group } = user;
  const isHome =
    project === null
      ? group === null || (await selfAndAncestorIds(db, namespaceOf(subject).id)).includes(group)
      : isProject(subject) && subject.project.id === project;
  if (!isHome) throw new Invalid({ user_id: ['service accounts cannot be added to other groups / projects'] });
}

/** Returns the membership to change or end, locking the members so that the last owner cannot change concurrently. */
async function lockedMember(trx: Writer, subject: ProjectOrGroup, userId: number): Promise<Member> {
  await store.lockMembers(trx, subject);
  const member = await store.directMember(trx, subject, userId);
  if (!member) throw NotFound.record();
  return member;
}

/** The last owner, the owner of a personal project and the bots of access tokens cannot be changed. */
async function refuseFixed(db: Reader, subject: ProjectOrGroup, member: Member): Promise<void> {
  if (isProject(subject) && subject.namespace.owner_id === member.user_id) throw new Forbidden();
  if ((await findUser(db, member.user_id))?.kind === 'project_bot') throw new Forbidden();
  if (isProject(subject) || member.access_level !== Role.owner) return;
  if (!(await store.hasOtherOwner(db, subject.group.id, member.user_id))) throw new Forbidden();
}

/**
 * Changes the role or expiry date of a member; without `expires_at` the date is unchanged, and without `member_role_id`
 * the member has no custom role.
 */
export async function changeMember(
  services: Services,
  trx: Writer,
  caller: SignedInActor,
  subject: ProjectOrGroup,
  userId: number,
  grant: Grant,
): Promise<void> {
  const { access_level, expires_at } = grant;
  await checkDirectoryLock(services, subject);
  const before = await lockedMember(trx, subject, userId);
  checkLevel(subject, access_level);
  checkGrant(subject, before.access_level);
  checkGrant(subject, access_level);
  await checkHeldRoles(trx, subject, [before]);
  await refuseFixed(trx, subject, before);
  if (before.ldap === 1 && before.override === 0) await refuseSynchronized(services, trx, subject);
  await checkInherited(trx, subject, userId, access_level);
  const expiry = expires_at === undefined ? {} : { expires_at: readExpiry(expires_at) };
  const member_role_id = await roleToGive(trx, subject, grant);
  const member = await store.updateMember(trx, before.id, { access_level, member_role_id, ...expiry });
  await services.announce(trx, 'member.updated', { member, before, by: caller.user });
}

/** Ends a membership and, if requested, those in everything below the group. */
export async function endMembership(
  services: Services,
  trx: Writer,
  caller: SignedInActor,
  subject: ProjectOrGroup,
  { userId, below, check }: { userId: number; below: boolean; check: (changedAt: number) => void },
): Promise<void> {
  const own = await lockedMember(trx, subject, userId);
  // Users may leave; removing others requires the right to change their role.
  if (caller.user.id !== userId) {
    if (!subject.can('admin_member')) throw new Forbidden();
    checkGrant(subject, own.access_level);
    await checkDirectoryLock(services, subject);
    await refuseSynchronized(services, trx, subject);
  }
  await refuseFixed(trx, subject, own);
  check(own.updated_at ?? own.created_at);
  const ended = await store.deleteMember(trx, subject, userId, below);
  if (caller.user.id !== userId) {
    // Below the group, the user may have had more than the caller does.
    for (const { access_level } of ended) checkGrant(subject, access_level);
    await checkHeldRoles(trx, subject, ended);
  }
  for (const member of ended) {
    await services.announce(trx, 'member.removed', { member, by: caller.user, expired: false });
  }
}

/** Adds the bot of an access token as a member, bypassing the restrictions on other members. */
export async function addBotMember(
  { announce }: Services,
  trx: Writer,
  subject: ProjectOrGroup,
  bot: User,
  access_level: number,
  by: User,
): Promise<void> {
  const grant = { user_id: bot.id, access_level, expires_at: null, created_by_id: by.id };
  await announce(trx, 'member.added', { member: await store.insertMember(trx, ownerColumnsOf(subject), grant), by });
}

/** Makes the creator of a group its Owner. */
export async function addGroupOwner({ announce }: Services, trx: Writer, groupId: number, by: User): Promise<void> {
  const columns = { namespace_id: groupId, project_id: null };
  const grant = { user_id: by.id, access_level: Role.owner, expires_at: null, created_by_id: by.id };
  await announce(trx, 'member.added', { member: await store.insertMember(trx, columns, grant), by });
}

/** Makes the user Owner of a group that has no direct Owner. */
export async function ensureGroupOwner(services: Services, trx: Writer, groupId: number, by: User): Promise<void> {
  if (await store.hasOwner(trx, groupId)) return;
  await store.deleteGroupMember(trx, groupId, by.id);
  await addGroupOwner(services, trx, groupId, by);
}

/** Sets or clears the override of a member managed by a directory. */
export async function setOverride(
  services: Services,
  trx: Writer,
  subject: ProjectOrGroup,
  userId: number,
  override: boolean,
): Promise<void> {
  await checkDirectoryLock(services, subject);
  const member = await lockedMember(trx, subject, userId);
  if (member.ldap !== 1) throw NotFound.record();
  checkGrant(subject, member.access_level);
  await store.updateMember(trx, member.id, { override: override ? 1 : 0 });
}

const expiredAtOnce = 200;

/** Ends expired memberships, which are already ignored by all checks. */
export async function endExpired({ db, announce }: Services, signal: AbortSignal): Promise<void> {
  for (;;) {
    const ended = await db.write(async (trx) => {
      const members = await store.deleteExpired(trx, Date.now(), expiredAtOnce);
      for (const member of members) await announce(trx, 'member.removed', { member, by: null, expired: true });
      return members.length;
    });
    if (ended < expiredAtOnce) return;
    signal.throwIfAborted();
  }
}
