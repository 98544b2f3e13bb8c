import { type Actor, isAdmin, type SignedInActor } from '../../../access/actor.ts';
import { findUser } from '../../../access/credentials/identify.ts';
import { Role, roleName } from '../../../access/roles.ts';
import type { Services } from '../../../access/services.ts';
import type { GroupSubject } from '../../../access/subjects.ts';
import { viewerOf } from '../../../access/visibility/visible.ts';
import { type BasicUserEntity, basicUsers } from '../../../people/users/public.ts';
import { BadRequest, Forbidden, NotFound } from '../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { dayOrNull, instant, instantOrNull } from '../../../platform/http/schema.ts';
import { requireTop } from '../awaiting/service.ts';
import { deleteAwaiting } from '../awaiting/store.ts';
import { checkDirectoryLock } from '../directory-lock.ts';
import { refuseSynchronized } from '../membership.ts';
import { deleteMembershipsIn, directRole, hasOtherOwner, lastOwnerAmong, lockMembers } from '../store.ts';
import { billableMembers, invitedMemberships, membershipsIn, membershipType, sorts } from './list.ts';
import type { BillableListParams, BillableMemberEntity, BillableMembershipEntity } from './schema.ts';

/** Lists the users who occupy a seat in a top-level group: through a role in the hierarchy or an invited group. */
export async function listBillable(
  { db, externalUrl }: Services,
  actor: Actor,
  subject: GroupSubject,
  { id: _, sort, ...filters }: BillableListParams,
  page: PageRequest,
): Promise<Page<BillableMemberEntity>> {
  const tree = { group: requireTop(subject), now: Date.now() };
  const scope = { ...tree, address: isAdmin(actor) ? 'email' : 'public_email' } as const;
  const order = sort === undefined ? ({ by: 'id', direction: 'asc' } as const) : sorts[sort];
  const { rows, total } = await billableMembers.page(db.read, scope, filters, order, page);
  const ids = rows.map((row) => row.id);
  const [users, lastOwner] = await Promise.all([
    basicUsers(db.read, ids, externalUrl),
    lastOwnerAmong(db.read, tree.group, ids),
  ]);
  return new Page(rows, total).map((row) => {
    const type = membershipType(row);
    const isKnown = isAdmin(actor) || row.provisioned_by_group_id === tree.group;
    return {
      ...(users.get(row.id) as BasicUserEntity),
      ...(isKnown ? { email: row.email } : {}),
      last_activity_on: dayOrNull(row.last_activity_at),
      membership_type: type,
      removable: type === 'group_member' || type === 'project_member',
      created_at: instant(row.created_at),
      last_login_at: instantOrNull(row.current_sign_in_at),
      is_last_owner: row.id === lastOwner,
    };
  });
}

type Memberships = Awaited<ReturnType<typeof membershipsIn>>;

/** Lists the memberships of a user in a top-level group hierarchy. */
export async function listMemberships(
  services: Services,
  subject: GroupSubject,
  userId: number,
  page: PageRequest,
): Promise<Page<BillableMembershipEntity>> {
  const group = requireTop(subject);
  await requireUser(services, userId);
  return presentMemberships(services, await membershipsIn(services.db.read, group, userId, page));
}

/** Lists the memberships in invited groups through which a user occupies a seat. */
export async function listIndirect(
  services: Services,
  actor: Actor,
  subject: GroupSubject,
  userId: number,
  page: PageRequest,
): Promise<Page<BillableMembershipEntity>> {
  const group = requireTop(subject);
  await requireUser(services, userId);
  const found = await invitedMemberships(services.db.read, viewerOf(actor), group, userId, page);
  return presentMemberships(services, found);
}

async function requireUser({ db }: Services, id: number): Promise<void> {
  if (!(await findUser(db.read, id))) throw new NotFound('User');
}

function presentMemberships({ externalUrl }: Services, { rows, total }: Memberships) {
  return new Page(rows, total).map((row) => {
    const { id, project_id, namespace_id, full_name, full_path } = row;
    const source =
      project_id === null
        ? { name: full_name, url: `groups/${full_path}/-/group_members` }
        : { name: `${full_name} / ${row.name}`, url: `${full_path}/${row.path}/-/project_members` };
    return {
      id,
      source_id: project_id ?? namespace_id ?? 0,
      source_full_name: source.name,
      source_members_url: `${externalUrl}/${source.url}`,
      created_at: instant(row.created_at),
      expires_at: dayOrNull(row.expires_at),
      access_level: { string_value: roleName(row.access_level), integer_value: row.access_level },
    };
  });
}

/**
 * Ends all memberships of a user in a top-level group hierarchy, whether or not they are a member of the group itself.
 */
export async function removeBillable(
  services: Services,
  caller: SignedInActor,
  subject: GroupSubject,
  userId: number,
): Promise<void> {
  const group = requireTop(subject);
  await services.db.write(async (trx) => {
    await lockMembers(trx, subject);
    if (caller.user.id !== userId) {
      await checkDirectoryLock(services, subject);
      await refuseSynchronized(services, trx, subject);
    }
    if ((await findUser(trx, userId))?.kind === 'project_bot') throw new Forbidden();
    const isOwner = (await directRole(trx, group, userId)) === Role.owner;
    if (isOwner && !(await hasOtherOwner(trx, group, userId))) throw new Forbidden();
    const waiting = await deleteAwaiting(trx, group, { user: userId });
    const ended = await deleteMembershipsIn(trx, group, userId);
    if (waiting.length + ended.length === 0) throw new BadRequest('No member found for the given user_id');
    for (const member of ended) {
      await services.announce(trx, 'member.removed', { member, by: caller.user, expired: false });
    }
  });
}
