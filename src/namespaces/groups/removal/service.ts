import { isAdmin, type SignedInActor } from '../../../access/actor.ts';
import { deletionDelay } from '../../../access/application-settings/effective.ts';
import { moveNamespace } from '../../../access/namespaces/addresses.ts';
import { lockHierarchy, lockNamespaceRow } from '../../../access/namespaces/hierarchy.ts';
import type { Services } from '../../../access/services.ts';
import { type GroupSubject, lookUpNamespace } from '../../../access/subjects.ts';
import type { Namespace, User } from '../../../access/tables.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { BadRequest, NotFound } from '../../../platform/http/errors.ts';
import { detailOf } from '../detail/present.ts';
import type { GroupDetailEntity } from '../detail/schema.ts';
import { throwTakenError } from '../rules.ts';
import { isSelfOrAncestorMarked, updateGroupRow } from '../store.ts';
import type { DeletionParams } from './schema.ts';

/** Suffix of the name and path of a group marked for deletion, which frees its original path. */
const suffixOf = (id: number) => `-deletion_scheduled-${id}`;

const accepted = { message: '202 Accepted' };

/** Marks a group for deletion, or deletes a marked subgroup immediately. */
export async function deleteGroup(
  services: Services,
  caller: SignedInActor,
  { group }: GroupSubject,
  params: DeletionParams,
): Promise<{ message: string }> {
  const { db, config } = services;
  const settings = await services.settings.read();
  if (params.permanently_remove && !settings.allow_immediate_namespaces_deletion && !isAdmin(caller)) {
    throw BadRequest.plain('`permanently_remove` option is not permitted on this instance.');
  }
  const delay = deletionDelay(config, settings);
  await db.write(async (trx) => {
    await lockHierarchy(trx);
    const held = await lockNamespaceRow(trx, group.id);
    if (!held) throw new NotFound('Group');
    if (params.permanently_remove) {
      checkPermanent(held, params.full_path);
      await removeSoon(services, trx, held.id);
      return;
    }
    if (held.marked_for_deletion_at !== null) throw BadRequest.plain('Group has already been marked for deletion');
    if (await isSelfOrAncestorMarked(trx, held.id)) return;
    await mark(services, trx, held, caller.user);
    if (delay === 0) await removeSoon(services, trx, held.id);
  });
  return accepted;
}

function checkPermanent(group: Namespace, fullPath: string | undefined): void {
  if (group.parent_id === null) {
    throw BadRequest.plain('`permanently_remove` option is only available for subgroups.');
  }
  if (group.marked_for_deletion_at === null) throw BadRequest.plain('Group must be marked for deletion first.');
  if (fullPath !== group.full_path) {
    throw BadRequest.plain('`full_path` is incorrect. You must enter the complete path for the subgroup.');
  }
}

async function parentOf(trx: Reader, group: Namespace): Promise<Namespace | null> {
  if (group.parent_id === null) return null;
  const parent = await lookUpNamespace(trx, String(group.parent_id));
  if (!parent) throw new NotFound('Group');
  return parent;
}

async function mark({ announce }: Services, trx: Writer, before: Namespace, by: User): Promise<void> {
  const suffix = suffixOf(before.id);
  const parent = await parentOf(trx, before);
  await moveNamespace(trx, before, { name: `${before.name}${suffix}`, path: `${before.path}${suffix}`, parent });
  const marked = { marked_for_deletion_at: Date.now(), marked_by_id: by.id };
  await announce(trx, 'group.updated', { before, group: await updateGroupRow(trx, before.id, marked), by });
}

/** Enqueues the deletion. */
export async function removeSoon({ queue }: Services, trx: Writer, groupId: number): Promise<void> {
  await queue.enqueue(trx, 'groups.remove', { groupId }, { dedupeKey: `${groupId}` });
}

/** Removes the deletion mark and the suffix of the name and path. */
export async function restoreGroup(
  services: Services,
  caller: SignedInActor,
  { group }: GroupSubject,
): Promise<GroupDetailEntity> {
  await services.db
    .write(async (trx) => {
      await lockHierarchy(trx);
      const held = await lockNamespaceRow(trx, group.id);
      if (!held) throw new NotFound('Group');
      if (held.marked_for_deletion_at === null) throw BadRequest.plain('Group has not been marked for deletion');
      const suffix = suffixOf(held.id);
      const before = (text: string) => (text.endsWith(suffix) ? text.slice(0, -suffix.length) : text);
      const parent = await parentOf(trx, held);
      await moveNamespace(trx, held, { name: before(held.name), path: before(held.path), parent });
      const restored = await updateGroupRow(trx, held.id, { marked_for_deletion_at: null, marked_by_id: null });
      await services.announce(trx, 'group.updated', { before: held, group: restored, by: caller.user });
    })
    .catch(throwTakenError);
  return detailOf(services, caller, group.id);
}
