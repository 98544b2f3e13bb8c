import { type Expression, type SqlBool, sql } from 'kysely';
import type { Actor } from '../../access/actor.ts';
import type { GroupSubject } from '../../access/subjects.ts';
import { fetchPage } from '../../platform/database/paging.ts';
import { checkOffset, cursorPage, keysetUnavailable } from '../../platform/http/cursor.ts';
import { KeysetPage, Page, type PageRequest } from '../../platform/http/pagination.ts';
import type { Services } from '../../platform/services.ts';
import { type GroupCondition, type GroupFilter, type GroupOrder, groupsFor, inOrder } from './list-query.ts';
import { type Additions, presentGroups } from './present.ts';
import type { GroupEntity } from './schema.ts';

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
  const found = await cursorPage(groupsFor(db.read, actor, list), keysetOrder, list.cursor, page.perPage);
  const groups = await presentGroups(db.read, actor, externalUrl, found.items, list);
  return new KeysetPage(groups, found.next, found.headers);
}

async function listPage(
  { db, externalUrl }: Services,
  actor: Actor,
  list: GroupList,
  page: PageRequest,
  within?: GroupCondition,
): Promise<Page<GroupEntity>> {
  const query = inOrder(groupsFor(db.read, actor, list, within), list);
  const { rows, total } = await fetchPage(db.read, query, page);
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
  const within: GroupCondition =
    depth === 'children'
      ? (eb) => eb('namespaces.parent_id', '=', group.id)
      : () => sql`namespaces.id in (
          select namespace_id from namespace_ancestors where ancestor_id = ${group.id} and depth > 0)`;
  return listPage(services, actor, { ...list, all_available: list.all_available ?? true }, page, within);
}

const shareInForce = () => sql<SqlBool>`(s.expires_at is null or s.expires_at > ${Date.now()})`;

/** The groups that this group was invited to. */
export function listSharedGroups(
  services: Services,
  actor: Actor,
  { group }: GroupSubject,
  list: GroupList,
  page: PageRequest,
): Promise<Page<GroupEntity>> {
  const within = () => sql<SqlBool>`namespaces.id in (
    select s.namespace_id from group_shares s where s.with_namespace_id = ${group.id} and ${shareInForce()})`;
  return listPage(services, actor, { ...list, all_available: true }, page, within);
}

/** The groups that were invited to this group, or to one above it. */
export function listInvitedGroups(
  services: Services,
  actor: Actor,
  { group }: GroupSubject,
  list: Omit<GroupList, keyof GroupOrder> & { relation?: readonly ('direct' | 'inherited')[]; search?: string },
  page: PageRequest,
): Promise<Page<GroupEntity>> {
  const relations = list.relation?.length ? list.relation : ['direct', 'inherited'];
  const depths: Expression<SqlBool>[] = [];
  if (relations.includes('direct')) depths.push(sql<SqlBool>`a.depth = 0`);
  if (relations.includes('inherited')) depths.push(sql<SqlBool>`a.depth > 0`);
  const within = () => sql<SqlBool>`namespaces.id in (
    select s.with_namespace_id from group_shares s join namespace_ancestors a on a.ancestor_id = s.namespace_id
    where a.namespace_id = ${group.id} and (${sql.join(depths, sql` or `)}) and ${shareInForce()})`;
  const ordered = { ...list, all_available: true, order_by: 'id', sort: 'asc' } as const;
  return listPage(services, actor, ordered, page, within);
}
