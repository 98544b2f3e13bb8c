import type { Actor, SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import { type GroupSubject, readableGroup } from '../../../access/subjects.ts';
import { viewerOf } from '../../../access/visibility/visible.ts';
import { lockRows } from '../../../platform/database/locks.ts';
import { Conflict, Forbidden, NotFound, Unprocessable } from '../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { instant } from '../../../platform/http/schema.ts';
import { filterReadableEpics } from '../list.ts';
import { presentEpics } from '../present.ts';
import { readableEpic } from '../service.ts';
import type { EpicLinkRow } from '../tables.ts';
import { epicLinkList } from './list.ts';
import type { LinkListParams, NewLinkParams, RelatedEpicEntity, RelatedEpicLinkEntity } from './schema.ts';
import * as store from './store.ts';

/** Lists the related epics that the caller may read; the direction of a block is as seen from the given epic. */
export async function listRelated(
  services: Services,
  caller: Actor,
  subject: GroupSubject,
  iid: number,
): Promise<RelatedEpicEntity[]> {
  const { read } = services.db;
  const epic = await readableEpic(services, subject, iid);
  const links = await store.linksOf(read, epic.id);
  const ids = links.map(({ source_id, target_id }) => (source_id === epic.id ? target_id : source_id));
  const epics = await filterReadableEpics(read, viewerOf(caller), ids);
  const entities = await presentEpics(services, epics, { groupId: subject.group.id });
  const byId = new Map(entities.map((entity) => [entity.id, entity]));
  return links.flatMap((link) => {
    const outwards = link.source_id === epic.id;
    const entity = byId.get(outwards ? link.target_id : link.source_id);
    if (!entity) return [];
    return {
      ...entity,
      related_epic_link_id: link.id,
      link_type: link.link_type === 'blocks' && !outwards ? 'is_blocked_by' : link.link_type,
      link_created_at: instant(link.created_at),
      link_updated_at: instant(link.updated_at),
    };
  });
}

/** Returns a page of the links of a group's epics and their descendants, of which the caller may read both ends. */
export async function listLinks(
  services: Services,
  caller: Actor,
  { group }: GroupSubject,
  filters: LinkListParams,
  page: PageRequest,
): Promise<Page<RelatedEpicLinkEntity>> {
  const scope = { ...viewerOf(caller), group: group.id };
  const order = { by: 'id', direction: 'desc' } as const;
  const { rows, total } = await epicLinkList.page(services.db.read, scope, filters, order, page);
  return new Page(await presentLinks(services, caller, rows), total);
}

/** Presents links, leaving out those of which one end has become unreadable to the caller. */
async function presentLinks(
  services: Services,
  caller: Actor,
  links: readonly EpicLinkRow[],
): Promise<RelatedEpicLinkEntity[]> {
  const ids = links.flatMap(({ source_id, target_id }) => [source_id, target_id]);
  const epics = await filterReadableEpics(services.db.read, viewerOf(caller), [...new Set(ids)]);
  const entities = await presentEpics(services, epics, { groupId: 0 });
  const byId = new Map(entities.map((entity) => [entity.id, entity]));
  return links.flatMap(({ id, source_id, target_id, link_type, created_at, updated_at }) => {
    const [source_epic, target_epic] = [byId.get(source_id), byId.get(target_id)];
    if (!source_epic || !target_epic) return [];
    const times = { created_at: instant(created_at), updated_at: instant(updated_at) };
    return [{ id, source_epic, target_epic, link_type, ...times }];
  });
}

async function presentLink(services: Services, caller: Actor, link: EpicLinkRow): Promise<RelatedEpicLinkEntity> {
  const [entity] = await presentLinks(services, caller, [link]);
  if (!entity) throw new NotFound('Epic');
  return entity;
}

export async function relateEpics(
  services: Services,
  caller: SignedInActor,
  subject: GroupSubject,
  { epic_iid, target_group_id, target_epic_iid, link_type }: NewLinkParams,
): Promise<RelatedEpicLinkEntity> {
  const { db } = services;
  const epic = await readableEpic(services, subject, epic_iid);
  const group = await readableGroup(db, caller, target_group_id);
  const other = await readableEpic(services, group, target_epic_iid, () => new NotFound('Epic'));
  if (!subject.can('admin_epic_relation') || !group.can('admin_epic_relation')) throw new Forbidden();
  if (epic.id === other.id) throw new Unprocessable('Epic cannot be related to itself');
  const [source_id, target_id] = link_type === 'is_blocked_by' ? [other.id, epic.id] : [epic.id, other.id];
  const link = await db.write(async (trx) => {
    await lockRows(
      trx,
      'epics',
      [epic.id, other.id].sort((a, b) => a - b),
    );
    if (await store.linkBetween(trx, epic.id, other.id)) throw new Conflict('Epic(s) already assigned');
    const now = Date.now();
    const kind = link_type === 'relates_to' ? ('relates_to' as const) : ('blocks' as const);
    return store.insertLink(trx, { source_id, target_id, link_type: kind, created_at: now, updated_at: now });
  });
  return presentLink(services, caller, link);
}

export async function unrelateEpics(
  services: Services,
  caller: SignedInActor,
  subject: GroupSubject,
  iid: number,
  linkId: number,
): Promise<RelatedEpicLinkEntity> {
  const epic = await readableEpic(services, subject, iid);
  const link = (await store.linksOf(services.db.read, epic.id)).find(({ id }) => id === linkId);
  if (!link) throw NotFound.record();
  if (!subject.can('admin_epic_relation')) throw new Forbidden();
  const entity = await presentLink(services, caller, link);
  await services.db.write((trx) => store.deleteLink(trx, link.id));
  return entity;
}
