import { findUser } from '../../access/credentials/identify.ts';
import { lockNamespaceRow } from '../../access/namespaces/hierarchy.ts';
import { Role } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import { settingsWithAncestors } from '../../access/stored-settings.ts';
import type { Member, Namespace } from '../../access/tables.ts';
import type { Writer } from '../../platform/database/database.ts';
import { isBanned } from './bans/store.ts';
import * as known from './directory-store.ts';
import { type Domains, domainsIn, isLevelOf } from './rules.ts';
import * as store from './store.ts';

const usersAtOnce = 100;

/** An access level from a directory, 0 for none, with the custom role based on it. */
export interface DirectoryRole {
  readonly level: number;
  readonly role: number | null;
}
export const noDirectoryRole: DirectoryRole = { level: 0, role: null };

/** A role to give, and whether only the directory may change it. */
interface GrantedRole extends DirectoryRole {
  readonly ldap: number;
}

/**
 * Sets the roles of users known to a directory in a group; those without a role there are removed. Other members, the
 * last owner and overridden memberships are left unchanged.
 */
export async function setDirectoryRoles(
  services: Services,
  group: Namespace,
  provider: string,
  roles: ReadonlyMap<number, DirectoryRole>,
): Promise<void> {
  const { db, directories } = services;
  const providers = directories.map(({ settings }) => settings.provider);
  const users = new Set(roles.keys());
  for (let after = 0; ; ) {
    const some = await known.membersKnownTo(db.read, group.id, provider, providers, after, 1000);
    for (const { user_id } of some) users.add(user_id);
    if (some.length < 1000) break;
    after = some.at(-1)?.user_id ?? after;
  }
  const ids = [...users].sort((left, right) => left - right);
  for (let at = 0; at < ids.length; at += usersAtOnce) {
    await db.write((trx) => setSome(services, trx, group, roles, ids.slice(at, at + usersAtOnce)));
  }
}

/**
 * Sets the role of a user in a group to what an identity provider says at sign-in; level 0 removes them. Unlike roles of a
 * directory, it can be changed here until the next sign-in. Roles of a directory are left unchanged.
 */
export async function setProviderRole(
  services: Services,
  trx: Writer,
  group: Namespace,
  userId: number,
  role: DirectoryRole,
): Promise<void> {
  await setSome(services, trx, group, new Map([[userId, role]]), [userId], 'provider');
}

async function setSome(
  services: Services,
  trx: Writer,
  group: Namespace,
  roles: ReadonlyMap<number, DirectoryRole>,
  ids: readonly number[],
  by: 'directory' | 'provider' = 'directory',
): Promise<void> {
  if (!(await lockNamespaceRow(trx, group.id))) return;
  const members = await known.ownMembers(trx, group.id, ids);
  const above = await known.rolesAbove(trx, group.id, ids);
  const domains = domainsIn((await settingsWithAncestors(trx, group.id)).map(({ settings }) => settings));
  for (const id of ids) {
    const wanted = roleFor(group, roles.get(id) ?? noDirectoryRole, above.get(id) ?? 0);
    const member = members.get(id);
    const grant = { ...wanted, ldap: by === 'directory' ? 1 : 0 };
    if (!member) await add(services, trx, group, id, grant, domains);
    else if (by === 'provider' && member.ldap === 1) continue;
    else if (grant.level === 0) await remove(services, trx, group, member);
    else await change(services, trx, group, member, grant);
  }
}

/** A direct role is never lower than the inherited one, which has no custom role. */
function roleFor(group: Namespace, wanted: DirectoryRole, inherited: number): DirectoryRole {
  if (wanted.level === 0) return noDirectoryRole;
  const role = inherited > wanted.level ? { level: inherited, role: null } : wanted;
  return isLevelOf(role.level, group.parent_id === null ? 'top-level group' : 'subgroup') ? role : noDirectoryRole;
}

async function add(
  { announce, log }: Services,
  trx: Writer,
  group: Namespace,
  userId: number,
  { level, role, ldap }: GrantedRole,
  domains: Domains,
): Promise<void> {
  const user = level === 0 ? undefined : await findUser(trx, userId);
  if (user?.kind !== 'human' || (await isBanned(trx, group.id, userId))) return;
  if (domains && !domains.includes(user.email.toLowerCase().split('@').at(-1) ?? '')) {
    log.warn(
      { group: group.id, user: userId },
      'the directory lists a member whose e-mail domain the group does not allow',
    );
    return;
  }
  const grant = { user_id: userId, access_level: level, member_role_id: role, expires_at: null, ldap };
  const place = { namespace_id: group.id, project_id: null };
  const member = await store.insertMember(trx, place, { ...grant, created_by_id: null });
  await announce(trx, 'member.added', { member, by: null });
}

async function isLastOwner(trx: Writer, group: Namespace, member: Member): Promise<boolean> {
  return member.access_level === Role.owner && !(await store.hasOtherOwner(trx, group.id, member.user_id));
}

async function change(
  { announce, log }: Services,
  trx: Writer,
  group: Namespace,
  before: Member,
  { level, role, ldap }: GrantedRole,
): Promise<void> {
  if (before.override === 1) return;
  if (before.access_level === level && before.member_role_id === role) {
    if (before.ldap !== ldap) await store.updateMember(trx, before.id, { ldap });
    return;
  }
  if (level !== before.access_level && (await isLastOwner(trx, group, before))) {
    log.warn(
      { group: group.id, user: before.user_id },
      'the last owner of a group keeps the role despite the directory',
    );
    return;
  }
  const member = await store.updateMember(trx, before.id, { access_level: level, member_role_id: role, ldap });
  await announce(trx, 'member.updated', { member, before, by: null });
}

async function remove({ announce, log }: Services, trx: Writer, group: Namespace, member: Member): Promise<void> {
  if (member.override === 1) return;
  if (await isLastOwner(trx, group, member)) {
    log.warn(
      { group: group.id, user: member.user_id },
      'the last owner of a group is not removed despite the directory',
    );
    return;
  }
  await store.deleteGroupMember(trx, group.id, member.user_id);
  await announce(trx, 'member.removed', { member, by: null, expired: false });
}
