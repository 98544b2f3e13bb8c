import type { SignedInActor } from '../../../access/actor.ts';
import { readExpiry } from '../../../access/credentials/expiry.ts';
import { selfAndAncestorIds } from '../../../access/namespaces/hierarchy.ts';
import type { Services } from '../../../access/services.ts';
import { type GroupSubject, groupSubject, lookUpNamespace } from '../../../access/subjects.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { uniqueViolation } from '../../../platform/database/errors.ts';
import { Conflict, HttpError, NotFound } from '../../../platform/http/errors.ts';
import { roleToGive } from '../../member-roles/public.ts';
import { checkDirectoryLock } from '../../members/public.ts';
import { detailOf } from '../detail/present.ts';
import type { GroupDetailEntity } from '../detail/schema.ts';
import { settingsOfGroup } from '../settings/values.ts';
import type { NewShareParams } from './schema.ts';
import * as store from './store.ts';

const hidden = () => new HttpError(404, { message: 'Not Found' });

/** Invites a group to another group with a maximum access level. */
export async function shareGroup(
  services: Services,
  caller: SignedInActor,
  subject: GroupSubject,
  { group_id, group_access: accessLevel, expires_at, member_role_id }: NewShareParams,
): Promise<GroupDetailEntity> {
  const { db, announce } = services;
  const { group } = subject;
  const invited = await lookUpNamespace(db.read, String(group_id));
  // Callers without permission get the same answer as for an invisible group, so that neither can be inferred.
  if (!subject.can('admin_group') || invited?.kind !== 'group') throw hidden();
  if (!(await groupSubject(db.read, caller, invited)).can('read_group')) throw hidden();
  await checkDirectoryLock(services, subject);
  if (await leavesHierarchy(db.read, group.id, invited.id)) throw hidden();
  const now = Date.now();
  const share = {
    namespace_id: group.id,
    with_namespace_id: invited.id,
    access_level: accessLevel,
    expires_at: readExpiry(expires_at, now),
    created_at: now,
  };
  await db
    .write(async (trx) => {
      const role = await roleToGive(trx, subject, { access_level: accessLevel, member_role_id });
      await store.insertShare(trx, { ...share, member_role_id: role });
      await announce(trx, 'group.shared', { group, invited, accessLevel, by: caller.user });
    })
    .catch((error: unknown) => {
      if (!uniqueViolation(error)) throw error;
      throw new Conflict('Shared group The group has already been shared with this group');
    });
  return detailOf(services, caller, group.id);
}

/** The top-level group may forbid invitations of groups from outside the hierarchy, to its projects too. */
export async function leavesHierarchy(db: Reader, namespaceId: number, invitedId: number): Promise<boolean> {
  const top = await store.topAmong(db, await selfAndAncestorIds(db, namespaceId));
  if (!top || !settingsOfGroup(top).prevent_sharing_groups_outside_hierarchy) return false;
  return !(await selfAndAncestorIds(db, invitedId)).includes(top.id);
}

/** Removes the invitation of a group. */
export async function unshareGroup(
  { db, announce }: Services,
  caller: SignedInActor,
  subject: GroupSubject,
  invitedId: number,
): Promise<void> {
  const { group } = subject;
  const share = await store.findShare(db.read, group.id, invitedId);
  if (share === undefined) throw new NotFound('Group Link');
  if (!subject.can('admin_group')) {
    // A protocol quirk: callers without permission get 204 and nothing changes. But they must not learn whether a group
    // that they cannot see was invited.
    const invited = await lookUpNamespace(db.read, String(invitedId));
    if (!invited || !(await groupSubject(db.read, caller, invited)).can('read_group')) throw new NotFound('Group Link');
    return;
  }
  await db.write(async (trx) => {
    await store.deleteShare(trx, share);
    await announce(trx, 'group.unshared', { group, invitedId, by: caller.user });
  });
}
