import { type Actor, canReadEverything, isAdmin } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { GroupSubject } from '../../../access/subjects.ts';
import { viewerOf } from '../../../access/visibility/visible.ts';
import { checkOffset, cursorPage, keysetUnavailable } from '../../../platform/http/pages/cursor.ts';
import { KeysetPage, Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { presentGroups, repositoryStorage } from '../present.ts';
import type { GroupEntity } from '../schema.ts';
import { type GroupRelation, type GroupScope, groupList, planList } from './list.ts';
import type { GroupListParams, InvitedGroupsParams } from './schema.ts';

const keysetOrder = { columns: { 'namespaces.name': 'text', 'namespaces.id': 'integer' }, descending: false } as const;

/** `owned` takes precedence over `min_access_level`, which takes precedence over `all_available`. */
function reachOf(actor: Actor, params: GroupListParams): GroupScope['reach'] {
  const { owned, min_access_level, all_available, repository_storage } = params;
  const elsewhere = repository_storage !== undefined && repository_storage !== repositoryStorage;
  if (isAdmin(actor) && elsewhere) return 'none';
  if (owned) return actor.user ? 'owned' : 'none';
  if (actor.user && min_access_level !== undefined) return 'member';
  return actor.user && !(all_available ?? canReadEverything(actor)) ? 'related' : 'visible';
}

/** Translates the request parameters of an actor into a scope, filters and order. */
function readList(actor: Actor, params: GroupListParams, within?: GroupRelation) {
  const { archived, skip_groups, visibility, search, top_level_only, marked_for_deletion_on, active } = params;
  const { custom_attributes, order_by, sort } = params;
  return {
    scope: { ...viewerOf(actor), ...within, reach: reachOf(actor, params), least: params.min_access_level },
    filters: {
      ...{ archived, skip_groups, visibility, search, top_level_only, marked_for_deletion_on, active },
      custom_attributes: isAdmin(actor) ? custom_attributes : undefined,
    },
    order: { by: order_by === 'similarity' && !search ? ('name' as const) : order_by, direction: sort },
  };
}

/** `GET /groups`. Unauthenticated callers may use keyset pagination, and must do so beyond the maximum offset. */
export async function listGroups(
  services: Services,
  actor: Actor,
  params: GroupListParams & { pagination?: string; cursor?: string },
  page: PageRequest,
): Promise<Page<GroupEntity> | KeysetPage<GroupEntity>> {
  if (actor.user) return listPage(services, actor, params, page);
  if (params.pagination !== 'keyset') {
    checkOffset(page, 'Group');
    return listPage(services, actor, params, page);
  }
  if (params.order_by !== 'name' || params.sort !== 'asc') throw keysetUnavailable();
  const { scope, filters } = readList(actor, params);
  const found = await cursorPage(keysetOrder, params.cursor, (position) =>
    groupList.walk(services.db.read, scope, filters, keysetOrder, position, page.perPage),
  );
  const groups = await presentGroups(services, actor, found.items, params);
  return new KeysetPage(groups, found.next, found.headers);
}

async function listPage(
  services: Services,
  actor: Actor,
  params: GroupListParams,
  page: PageRequest,
  within?: GroupRelation,
): Promise<Page<GroupEntity>> {
  const { scope, filters, order } = readList(actor, params, within);
  const { read } = services.db;
  const { rows, total } = await groupList.page(read, planList(read, scope), filters, order, page);
  return new Page(await presentGroups(services, actor, rows, params), total);
}

/** Lists the children or descendants of a group; by default all that the caller can see. */
export function listBelow(
  services: Services,
  actor: Actor,
  { group }: GroupSubject,
  params: GroupListParams,
  page: PageRequest,
  depth: 'children' | 'descendants',
): Promise<Page<GroupEntity>> {
  const all_available = params.all_available ?? true;
  return listPage(services, actor, { ...params, all_available }, page, { place: depth, group: group.id });
}

/** Lists the groups that this group is invited to. */
export function listSharedGroups(
  services: Services,
  actor: Actor,
  { group }: GroupSubject,
  params: GroupListParams,
  page: PageRequest,
): Promise<Page<GroupEntity>> {
  return listPage(services, actor, { ...params, all_available: true }, page, { place: 'shared', group: group.id });
}

/** Lists the groups invited to this group or to its ancestors. */
export function listInvitedGroups(
  services: Services,
  actor: Actor,
  { group }: GroupSubject,
  { relation, ...params }: InvitedGroupsParams,
  page: PageRequest,
): Promise<Page<GroupEntity>> {
  const [only, ...more] = new Set(relation);
  const place = !only || more.length > 0 ? 'invited' : only === 'direct' ? 'invited here' : 'invited above';
  const ordered = { ...params, all_available: true, order_by: 'id', sort: 'asc' } as const;
  return listPage(services, actor, ordered, page, { place, group: group.id });
}
