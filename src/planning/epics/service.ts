import type { Actor, SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { GroupSubject } from '../../access/subjects.ts';
import type { User } from '../../access/tables.ts';
import { viewerOf } from '../../access/visibility/visible.ts';
import { recordEvent } from '../../namespaces/events/public.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { lockRow } from '../../platform/database/locks.ts';
import { Forbidden, NotFound } from '../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import { checkUnmodified } from '../../platform/http/responses/precondition.ts';
import { clearEpic } from '../issues/public.ts';
import { hasCommented } from '../notes/public.ts';
import { deleteTargetDependents } from '../removal.ts';
import { subscriptionOf } from '../subscriptions/public.ts';
import type { Target } from '../target.ts';
import { mayRead } from './access.ts';
import { epicList } from './list.ts';
import { presentEpics } from './present.ts';
import type { EpicEntity, EpicListParams } from './schema.ts';
import * as store from './store.ts';
import type { EpicRow } from './tables.ts';

export function targetOf({ id, namespace_id }: Pick<EpicRow, 'id' | 'namespace_id'>): Target {
  return { type: 'Epic', id, project_id: null, namespace_id };
}

/** Returns a page of the group's epics that the caller may read. */
export async function listEpics(
  services: Services,
  caller: Actor,
  { group }: GroupSubject,
  params: EpicListParams,
  page: PageRequest,
): Promise<Page<EpicEntity>> {
  const { order_by: by, sort: direction, with_labels_details, ...rest } = params;
  const { include_ancestor_groups: above, include_descendant_groups: below, ...filters } = rest;
  const scope = { ...viewerOf(caller), group: group.id, below, above };
  const { rows, total } = await epicList.page(services.db.read, scope, filters, { by, direction }, page);
  const view = { groupId: group.id, labelsInDetail: with_labels_details };
  return new Page(await presentEpics(services, rows, view), total);
}

/** Returns an epic of this group that the caller may read; other callers get the same error as for a missing epic. */
export async function readableEpic(
  { db }: Services,
  subject: GroupSubject,
  iid: number,
  missing: () => Error = NotFound.record,
): Promise<EpicRow> {
  const epic = await store.findEpic(db.read, subject.group.id, iid);
  if (!epic || !mayRead(subject, epic)) throw missing();
  return epic;
}

/** Like readableEpic, by global ID. */
export async function readableEpicById(
  { db }: Services,
  subject: GroupSubject,
  id: number,
  missing: () => Error = NotFound.record,
): Promise<EpicRow> {
  const epic = (await store.epicsById(db.read, [id])).get(id);
  if (!epic || epic.namespace_id !== subject.group.id || !mayRead(subject, epic)) throw missing();
  return epic;
}

/** Whether the user receives notifications of an epic: by explicit subscription, or else by participating. */
export async function isSubscribed(db: Reader, userId: number, epic: EpicRow): Promise<boolean> {
  const target = targetOf(epic);
  const explicit = await subscriptionOf(db, userId, target);
  return explicit ?? (epic.author_id === userId || (await hasCommented(db, target, userId)));
}

/** Presents one epic in the context of its own group. */
export async function presentEpic(services: Services, caller: Actor, epic: EpicRow): Promise<EpicEntity> {
  const [entity] = await presentEpics(services, [epic], { groupId: epic.namespace_id });
  if (!entity) throw NotFound.record();
  if (caller.user === null) return { ...entity, subscribed: false };
  return { ...entity, subscribed: await isSubscribed(services.db.read, caller.user.id, epic) };
}

export async function getEpic(
  services: Services,
  caller: Actor,
  subject: GroupSubject,
  iid: number,
): Promise<EpicEntity> {
  return presentEpic(services, caller, await readableEpic(services, subject, iid));
}

export async function recordActivity(
  trx: Writer,
  epic: EpicRow,
  authorId: number,
  action: 'created' | 'closed' | 'reopened',
): Promise<void> {
  await recordEvent(trx, {
    projectId: null,
    namespaceId: epic.namespace_id,
    authorId,
    action,
    audience: epic.confidential === 1 ? 'confidential' : 'issues',
    target: { type: 'Epic', id: epic.id, iid: epic.iid, title: epic.title },
  });
}

/**
 * Returns false if the epic has been deleted concurrently. The lock waits for writers that are adding to the epic, so
 * that their rows are deleted too.
 */
async function removeEpic({ announce }: Services, trx: Writer, epic: EpicRow, actorId: number): Promise<boolean> {
  if (!(await lockRow(trx, 'epics', epic.id, 'remove'))) return false;
  await announce(trx, 'epic.removed', { epic, actorId });
  await deleteTargetDependents(trx, 'Epic', [epic.id]);
  await clearEpic(trx, epic.id);
  await store.deleteEpic(trx, epic.id);
  return true;
}

export async function deleteEpic(
  services: Services,
  caller: SignedInActor,
  subject: GroupSubject,
  iid: number,
  http: Parameters<typeof checkUnmodified>[0],
): Promise<void> {
  const epic = await readableEpic(services, subject, iid);
  if (!subject.can('destroy_epic')) throw new Forbidden();
  checkUnmodified(http, epic.updated_at);
  const isRemoved = await services.db.write((trx) => removeEpic(services, trx, epic, caller.user.id));
  if (!isRemoved) throw NotFound.record();
}

const removedAtOnce = 500;

/** Transfers the epics of a deleted user to the heir, or deletes them if there is none. */
export async function transferEpics(
  services: Services,
  trx: Writer,
  { user, heir }: { readonly user: User; readonly heir: User | null },
): Promise<void> {
  await store.handOverEpics(trx, user.id, heir?.id ?? null);
  if (heir) return;
  for (;;) {
    const written = await store.epicsWrittenBy(trx, user.id, removedAtOnce);
    if (written.length === 0) return;
    for (const epic of written) await removeEpic(services, trx, epic, user.id);
  }
}
