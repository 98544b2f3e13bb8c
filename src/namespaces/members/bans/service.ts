import Type from 'typebox';
import type { SignedInActor } from '../../../access/actor.ts';
import { findUser } from '../../../access/credentials/identify.ts';
import { lockNamespaceRow } from '../../../access/namespaces/hierarchy.ts';
import { Role } from '../../../access/roles.ts';
import type { Services } from '../../../access/services.ts';
import type { GroupSubject } from '../../../access/subjects.ts';
import type { Namespace, User } from '../../../access/tables.ts';
import { basicUsers } from '../../../people/users/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { BadRequest, Forbidden, NotFound } from '../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { instant } from '../../../platform/http/schema.ts';
import { storedJson } from '../../../platform/stored-json.ts';
import { awaitingIn, deleteAwaiting } from '../awaiting/store.ts';
import { deleteMembershipsIn, directRole, hasRoleIn, insertMember } from '../store.ts';
import type { BannedMemberEntity } from './schema.ts';
import * as store from './store.ts';

const orNull = () => Type.Union([Type.Integer(), Type.Null()]);
const readMemberships = storedJson(
  Type.Array(
    Type.Object({
      namespace_id: orNull(),
      project_id: orNull(),
      access_level: Type.Integer(),
      expires_at: orNull(),
    }),
  ),
);

/**
 * Bans a user from a top-level group: their roles in the hierarchy are removed and none can be granted until the ban is
 * lifted. Owners cannot be banned. Returns whether the user was banned.
 */
export async function banFromGroup(
  { announce }: Services,
  trx: Writer,
  group: Namespace,
  user: User,
  by: User | null,
): Promise<boolean> {
  if (!(await lockNamespaceRow(trx, group.id))) return false;
  if ((await directRole(trx, group.id, user.id)) === Role.owner) return false;
  if (await store.isBanned(trx, group.id, user.id)) return false;
  await deleteAwaiting(trx, group.id, { user: user.id });
  const ended = await deleteMembershipsIn(trx, group.id, user.id);
  const memberships = ended.map(({ namespace_id, project_id, access_level, expires_at }) => ({
    namespace_id,
    project_id,
    access_level,
    expires_at,
  }));
  const row = { namespace_id: group.id, user_id: user.id, created_at: Date.now() };
  await store.insertBan(trx, { ...row, memberships: JSON.stringify(memberships) });
  for (const member of ended) await announce(trx, 'member.removed', { member, by, expired: false });
  return true;
}

function requireTop({ group }: GroupSubject): Namespace {
  if (group.parent_id !== null) throw new BadRequest('Bans are only available for top-level groups');
  return group;
}

export async function listBanned(
  { db, externalUrl }: Services,
  subject: GroupSubject,
  page: PageRequest,
): Promise<Page<BannedMemberEntity>> {
  const { rows, total } = await store.listBans(db.read, requireTop(subject).id, page);
  const users = await basicUsers(
    db.read,
    rows.map((row) => row.user_id),
    externalUrl,
  );
  const items = rows.flatMap((row) => {
    const user = users.get(row.user_id);
    return user ? [{ ...user, banned_at: instant(row.created_at) }] : [];
  });
  return new Page(items, total);
}

export async function banMember(
  services: Services,
  caller: SignedInActor,
  subject: GroupSubject,
  userId: number,
): Promise<boolean> {
  const group = requireTop(subject);
  const user = await findUser(services.db.read, userId);
  if (user?.kind !== 'human') throw new NotFound('User');
  if (user.id === caller.user.id) throw new Forbidden();
  const done = await services.db.write(async (trx) => {
    const known = (await store.isBanned(trx, group.id, user.id)) || (await hasRoleIn(trx, group.id, user.id));
    if (!known && (await awaitingIn(trx, group.id, { user: user.id })).length === 0) throw new NotFound('Member');
    return banFromGroup(services, trx, group, user, caller.user);
  });
  if (!done) throw new Forbidden();
  return true;
}

/** Lifts a ban and restores the roles that can still be granted. */
export async function unbanMember(
  services: Services,
  caller: SignedInActor,
  subject: GroupSubject,
  userId: number,
): Promise<void> {
  const group = requireTop(subject);
  await services.db.write(async (trx) => {
    await lockNamespaceRow(trx, group.id);
    const ban = await store.deleteBan(trx, group.id, userId);
    if (!ban) throw NotFound.record();
    for (const { namespace_id, project_id, access_level, expires_at } of readMemberships(ban.memberships)) {
      const place = { namespace_id, project_id };
      const isOver = expires_at !== null && expires_at <= Date.now();
      if (isOver || !(await store.isInside(trx, group.id, place))) continue;
      const grant = { user_id: userId, access_level, expires_at, created_by_id: caller.user.id };
      const member = await insertMember(trx, place, grant);
      await services.announce(trx, 'member.added', { member, by: caller.user });
    }
  });
}
