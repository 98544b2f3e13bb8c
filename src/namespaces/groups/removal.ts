import { type Actor, isAdmin } from '../../access/actor.ts';
import { moveNamespace } from '../../access/addresses.ts';
import { deletionDelay } from '../../access/application-settings/effective.ts';
import { holdNamespace, holdTree } from '../../access/namespaces.ts';
import type { Services } from '../../access/services.ts';
import { type GroupSubject, lookUpNamespace } from '../../access/subjects.ts';
import type { Namespace } from '../../access/tables.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { BadRequest, NotFound } from '../../platform/http/errors.ts';
import { asTaken } from './create.ts';
import { detailOf } from './detail.ts';
import type { GroupDetailEntity } from './schema.ts';
import { updateGroupRow } from './store.ts';

/** What the name and path of a group end with while it waits to be removed, so that others may take its address. */
const suffixOf = (id: number) => `-deletion_scheduled-${id}`;

const accepted = { message: '202 Accepted' };

export interface RemovalOptions {
  readonly permanently_remove?: boolean;
  readonly full_path?: string;
}

/** Marks a group for deletion, or removes a marked subgroup without waiting. */
export async function deleteGroup(
  services: Services,
  actor: Actor,
  { group }: GroupSubject,
  options: RemovalOptions,
): Promise<{ message: string }> {
  const { db, config } = services;
  const settings = await services.settings.read();
  if (options.permanently_remove && !settings.allow_immediate_namespaces_deletion && !isAdmin(actor)) {
    throw BadRequest.plain('`permanently_remove` option is not permitted on this instance.');
  }
  const delay = deletionDelay(config, settings);
  await db.write(async (trx) => {
    await holdTree(trx);
    const held = await holdNamespace(trx, group.id);
    if (!held) throw new NotFound('Group');
    if (options.permanently_remove) {
      checkPermanent(held, options.full_path);
      await removeSoon(services, trx, held.id);
      return;
    }
    if (held.marked_for_deletion_at !== null) throw BadRequest.plain('Group has already been marked for deletion');
    if (await markedAbove(trx, held.id)) return;
    await mark(trx, held, actor);
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

async function markedAbove(db: Reader, id: number): Promise<boolean> {
  const found = await db
    .selectFrom('namespace_ancestors as a')
    .innerJoin('namespaces as n', 'n.id', 'a.ancestor_id')
    .select('n.id')
    .where('a.namespace_id', '=', id)
    .where('n.marked_for_deletion_at', 'is not', null)
    .executeTakeFirst();
  return found !== undefined;
}

async function parentOf(trx: Reader, group: Namespace): Promise<Namespace | null> {
  if (group.parent_id === null) return null;
  const parent = await lookUpNamespace(trx, String(group.parent_id));
  if (!parent) throw new NotFound('Group');
  return parent;
}

async function mark(trx: Writer, group: Namespace, actor: Actor): Promise<void> {
  const suffix = suffixOf(group.id);
  const parent = await parentOf(trx, group);
  await moveNamespace(trx, group, { name: `${group.name}${suffix}`, path: `${group.path}${suffix}`, parent });
  await updateGroupRow(trx, group.id, { marked_for_deletion_at: Date.now(), marked_by_id: actor.user?.id ?? null });
}

async function removeSoon({ queue }: Services, trx: Writer, groupId: number): Promise<void> {
  await queue.enqueue(trx, 'groups.remove', { groupId }, { dedupeKey: `${groupId}` });
}

/** Takes the mark away, and with it the ending of the name and path. */
export async function restoreGroup(
  services: Services,
  actor: Actor,
  { group }: GroupSubject,
): Promise<GroupDetailEntity> {
  await services.db
    .write(async (trx) => {
      await holdTree(trx);
      const held = await holdNamespace(trx, group.id);
      if (!held) throw new NotFound('Group');
      if (held.marked_for_deletion_at === null) throw BadRequest.plain('Group has not been marked for deletion');
      const suffix = suffixOf(held.id);
      const before = (text: string) => (text.endsWith(suffix) ? text.slice(0, -suffix.length) : text);
      const parent = await parentOf(trx, held);
      await moveNamespace(trx, held, { name: before(held.name), path: before(held.path), parent });
      await updateGroupRow(trx, held.id, { marked_for_deletion_at: null, marked_by_id: null });
    })
    .catch(asTaken);
  return detailOf(services, actor, group.id);
}
