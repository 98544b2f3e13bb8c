import type { Actor } from '../../../access/actor.ts';
import { namespaceSearch } from '../../../access/search.ts';
import type { Services } from '../../../access/services.ts';
import type { GroupSubject } from '../../../access/subjects.ts';
import { checkOffset, cursorPage, keysetUnavailable } from '../../../platform/http/cursor.ts';
import { KeysetPage, Page, type PageRequest } from '../../../platform/http/pagination.ts';
import { type Additions, presentGroups } from '../present.ts';
import type { GroupEntity } from '../schema.ts';
import { filterOf, type GroupFilter, type GroupOrder, groupList, type Within } from './list.ts';

export type GroupList = GroupFilter & GroupOrder & Additions;

const keysetOrder = { columns: { 'namespaces.name': 'text', 'namespaces.id': 'integer' }, descending: false } as const;

/** `GET /groups`. Those who are not signed in may walk it by cursors, and must beyond the reach of offsets. */
export async function listGroups(
  services: Services,
  actor: Actor,
  list: GroupList & { pagination?: string; cursor?: string },
  page: PageRequest,
): Promise<Page<GroupEntity> | KeysetPage<GroupEntity>> {
  if (actor.user) return listPage(services, actor, list, page);
  if (list.pagination !== 'keyset') {
    checkOffset(page, 'Group');
    return listPage(services, actor, list, page);
  }
  if (list.order_by !== 'name' || list.sort !== 'asc') throw keysetUnavailable();
  const { db, externalUrl } = services;
  const filter = await namespaceSearch.start(db.read, filterOf(actor, list, list));
  const found = await cursorPage(keysetOrder, list.cursor, (position) =>
    groupList.walk(db.read, filter, keysetOrder, position, page.perPage),
  );
  const groups = await presentGroups(db.read, actor, externalUrl, found.items, list);
  return new KeysetPage(groups, found.next, found.headers);
}

async function listPage(
  { db, externalUrl }: Services,
  actor: Actor,
  list: GroupList,
  page: PageRequest,
  within?: Within,
): Promise<Page<GroupEntity>> {
  const filter = filterOf(actor, list, list, within);
  const { rows, total } = await namespaceSearch.page(groupList, db.read, filter, page);
  return new Page(await presentGroups(db.read, actor, externalUrl, rows, list), total);
}

/** The groups directly in a group, or those at any depth below it; all that the caller may see, unless told otherwise. */
export function listBelow(
  services: Services,
  actor: Actor,
  { group }: GroupSubject,
  list: GroupList,
  page: PageRequest,
  depth: 'children' | 'descendants',
): Promise<Page<GroupEntity>> {
  const all_available = list.all_available ?? true;
  return listPage(services, actor, { ...list, all_available }, page, { place: depth, group: group.id });
}

/** The groups that this group was invited to. */
export function listSharedGroups(
  services: Services,
  actor: Actor,
  { group }: GroupSubject,
  list: GroupList,
  page: PageRequest,
): Promise<Page<GroupEntity>> {
  return listPage(services, actor, { ...list, all_available: true }, page, { place: 'shared', group: group.id });
}

/** The groups that were invited to this group, or to one above it. */
export function listInvitedGroups(
  services: Services,
  actor: Actor,
  { group }: GroupSubject,
  list: Omit<GroupList, keyof GroupOrder> & { relation?: readonly ('direct' | 'inherited')[]; search?: string },
  page: PageRequest,
): Promise<Page<GroupEntity>> {
  const [only, ...more] = new Set(list.relation);
  const place = !only || more.length > 0 ? 'invited' : only === 'direct' ? 'invited here' : 'invited above';
  const ordered = { ...list, all_available: true, order_by: 'id', sort: 'asc' } as const;
  return listPage(services, actor, ordered, page, { place, group: group.id });
}
