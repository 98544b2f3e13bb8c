import type { SignedInActor } from '../../../access/actor.ts';
import { findUser } from '../../../access/credentials/identify.ts';
import { Role } from '../../../access/roles.ts';
import type { Services } from '../../../access/services.ts';
import type { GroupSubject } from '../../../access/subjects.ts';
import { basicUsers } from '../../../people/users/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { BadRequest, Forbidden, NotFound } from '../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { checkDirectoryLock } from '../directory-lock.ts';
import { deleteMembershipsIn, directRole, hasOtherOwner, hasRoleIn, lockMembers } from '../store.ts';
import type { PendingMemberEntity } from './schema.ts';
import * as store from './store.ts';
import type { AwaitingRow } from './tables.ts';

const success = { success: true };

/** Returns the id of a top-level group; these operations cover a whole hierarchy. */
export function requireTop({ group }: GroupSubject): number {
  if (group.parent_id !== null) throw new BadRequest('Only available for top-level groups');
  return group.id;
}

/** Sets all memberships of a user in a top-level group hierarchy to awaiting, or activates the awaiting ones. */
export async function setMembershipState(
  services: Services,
  caller: SignedInActor,
  subject: GroupSubject,
  userId: number,
  state: 'awaiting' | 'active',
) {
  const group = requireTop(subject);
  await checkDirectoryLock(services, subject);
  await services.db.write(async (trx) => {
    await lockMembers(trx, subject);
    if (state === 'active') return activate(services, trx, caller, group, userId);
    await setAwaiting(services, trx, caller, group, userId);
  });
  return success;
}

async function setAwaiting(services: Services, trx: Writer, caller: SignedInActor, group: number, userId: number) {
  if (userId === caller.user.id) throw new BadRequest('You cannot set your own membership to awaiting');
  // The bot of an access token lives as long as the token, and a group must keep an owner.
  if ((await findUser(trx, userId))?.kind === 'project_bot') throw new Forbidden();
  const isOwner = (await directRole(trx, group, userId)) === Role.owner;
  if (isOwner && !(await hasOtherOwner(trx, group, userId))) {
    throw new BadRequest('The last owner cannot be set to awaiting');
  }
  const ended = await deleteMembershipsIn(trx, group, userId);
  if (ended.length === 0) return requireWaiting(await store.awaitingIn(trx, group, { user: userId }));
  await store.insertAwaiting(trx, ended);
  for (const member of ended)
    await services.announce(trx, 'member.removed', { member, by: caller.user, expired: false });
}

function requireWaiting(rows: readonly AwaitingRow[]): AwaitingRow {
  const [first] = rows;
  if (!first) throw NotFound.record();
  return first;
}

async function activate(services: Services, trx: Writer, caller: SignedInActor, group: number, userId: number) {
  const taken = await store.deleteAwaiting(trx, group, { user: userId });
  if (taken.length > 0) return approve(services, trx, caller, taken);
  if (!(await hasRoleIn(trx, group, userId))) throw NotFound.record();
}

async function approve(services: Services, trx: Writer, { user: by }: SignedInActor, rows: readonly AwaitingRow[]) {
  for (const row of rows) {
    const member = await store.insertApproved(trx, row);
    if (member) await services.announce(trx, 'member.added', { member, by });
  }
}

/** Approves all awaiting memberships of a user in the hierarchy. */
export async function approveMember(services: Services, caller: SignedInActor, subject: GroupSubject, id: number) {
  const group = requireTop(subject);
  await checkDirectoryLock(services, subject);
  await services.db.write(async (trx) => {
    await lockMembers(trx, subject);
    const { user_id } = requireWaiting(await store.awaitingIn(trx, group, { id }));
    await approve(services, trx, caller, await store.deleteAwaiting(trx, group, { user: user_id }));
  });
  return success;
}

const approvedAtOnce = 200;

export async function approveAll(services: Services, caller: SignedInActor, subject: GroupSubject) {
  const group = requireTop(subject);
  await checkDirectoryLock(services, subject);
  for (;;) {
    const approved = await services.db.write(async (trx) => {
      await lockMembers(trx, subject);
      const rows = await store.deleteAwaiting(trx, group, { limit: approvedAtOnce });
      await approve(services, trx, caller, rows);
      return rows.length;
    });
    if (approved < approvedAtOnce) return success;
  }
}

/** Lists members awaiting approval and invited addresses; the latter need no approval. */
export async function listPendingMembers(
  { db, externalUrl }: Services,
  subject: GroupSubject,
  page: PageRequest,
): Promise<Page<PendingMemberEntity>> {
  const { rows, total } = await store.listPending(db.read, requireTop(subject), Date.now(), page);
  const users = await basicUsers(
    db.read,
    rows.map((row) => row.user_id),
    externalUrl,
  );
  return new Page(rows, total).map(({ id, user_id, email }) => {
    const user = user_id === null ? undefined : users.get(user_id);
    if (!user) return { id, ...(email !== null && { email }), avatar_url: null, approved: true, invited: true };
    const { name, username, public_email, avatar_url, web_url } = user;
    const shown = { name, username, avatar_url, web_url, ...(public_email && { email: public_email }) };
    return { id, ...shown, approved: false, invited: false };
  });
}
