import { type Actor, callerId, canReadEverything, isAdmin } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { Database, Reader } from '../../../platform/database/database.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { Forbidden } from '../../../platform/http/errors.ts';
import { checkOffset, cursorPage, keysetUnavailable } from '../../../platform/http/pages/cursor.ts';
import { KeysetPage, Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { customAttributesOf } from '../../custom-attributes/public.ts';
import { hideBotNames } from './bot-names.ts';
import {
  type AnyUserFilters,
  basicList,
  profileList,
  type UserFilters,
  type UserList,
  type UserScope,
} from './list.ts';
import { presentBasicUser } from './present.ts';
import type { AdminUserEntity, BasicUserEntity } from './schema.ts';
import { findFew, usersNamed } from './search-list.ts';
import { adminViews } from './service.ts';

export type UserListParams = UserFilters & {
  readonly order_by?: 'id' | 'name' | 'username' | 'created_at' | 'updated_at';
  readonly sort?: 'asc' | 'desc';
  readonly with_custom_attributes?: boolean;
  readonly pagination?: string;
  readonly cursor?: string;
};

type AnyPage<T> = Page<T> | KeysetPage<T>;

/** Lists users in the view for the actor: the basic one, or the full one for administrators and auditors. */
export async function listUsers(
  { db, externalUrl }: Services,
  actor: Actor,
  params: UserListParams,
  page: PageRequest,
): Promise<AnyPage<BasicUserEntity | AdminUserEntity>> {
  if (params.extern_uid !== undefined && !isAdmin(actor)) throw new Forbidden();
  if (params.pagination !== 'keyset') checkOffset(page, 'User');
  const privileged = canReadEverything(actor);
  const scope = { viewer: callerId(actor), privileged, hidesBlocked: !privileged && params.blocked !== true };
  const withAttributes = isAdmin(actor) && params.with_custom_attributes === true;
  const finish = async <T extends BasicUserEntity>(found: AnyPage<unknown>, users: readonly T[]) => {
    const items = withAttributes ? await attachAttributes(db.read, users) : users;
    return found instanceof Page
      ? new Page(items, found.total, found.hasNext)
      : new KeysetPage(items, found.next, { ...found.headers });
  };
  if (privileged) {
    const found = await fetchUsers(db, profileList, scope, actor, params, page);
    return finish(found, await adminViews(db.read, found.items, actor, externalUrl));
  }
  const found = await fetchUsers(db, basicList, scope, actor, params, page);
  const rows = await hideBotNames(db.read, actor, found.items);
  return finish(
    found,
    rows.map((row) => presentBasicUser(row, externalUrl)),
  );
}

/** Drops the filters that the actor may not use. */
function filtersFor(actor: Actor, params: UserListParams): UserFilters {
  const { order_by, sort, with_custom_attributes, pagination, cursor, custom_attributes, ...all } = params;
  // Custom attributes are visible to administrators only, and filtering would reveal them.
  const noted = custom_attributes && isAdmin(actor) ? { custom_attributes } : {};
  if (canReadEverything(actor)) return { ...all, ...noted };
  const { extern_uid, provider, admins, auditors, skip_ldap, two_factor, without_projects, ...open } = all;
  return open;
}

interface Found<R> {
  rows: R[];
  total: number;
}

async function fetchUsers<R extends object>(
  { read }: Database,
  list: UserList<R>,
  scope: UserScope,
  actor: Actor,
  params: UserListParams,
  page: PageRequest,
): Promise<AnyPage<R>> {
  const filters = filtersFor(actor, params);
  const { order_by, sort, pagination, cursor } = params;
  // Ids are assigned in order of creation.
  const by = order_by === undefined || order_by === 'created_at' ? 'id' : order_by;
  const order = { by, direction: sort ?? 'desc' } as const;
  if (pagination === 'keyset') {
    const keyset = list.keyset(order);
    if (!keyset) throw keysetUnavailable();
    return cursorPage(keyset, cursor, (position) => list.walk(read, scope, filters, keyset, position, page.perPage));
  }
  const ranked = filters.search?.trim() && !order_by && !sort;
  const { rows, total } = ranked
    ? await byRelevance(read, list, scope, filters, page)
    : await list.page(read, scope, filters, order, page);
  return new Page(rows, total);
}

/**
 * If few users match, they are sorted; otherwise exact matches come first, followed by the others in the order of the
 * name index.
 */
async function byRelevance<R>(
  db: Reader,
  list: UserList<R>,
  scope: UserScope,
  { search = '', ...others }: UserFilters,
  slice: Slice,
): Promise<Found<R>> {
  const few = await findFew(db, search, scope);
  const among = few ?? (await usersNamed(db, search, scope));
  const best = await rankedAmong(db, list, scope, { ...others, term: search, among }, slice);
  if (few) return best;
  const rest = { offset: Math.max(0, slice.offset - best.total), perPage: slice.perPage - best.rows.length };
  const filters: AnyUserFilters = { ...others, term: search, except: among };
  const rows = rest.perPage === 0 ? [] : await list.rows(db, scope, filters, { by: 'name', direction: 'asc' }, rest);
  return { rows: [...best.rows, ...rows], total: await list.count(db, scope, { ...others, search }) };
}

async function rankedAmong<R>(
  db: Reader,
  list: UserList<R>,
  scope: UserScope,
  filters: AnyUserFilters,
  slice: Slice,
): Promise<Found<R>> {
  if (filters.among?.length === 0) return { rows: [], total: 0 };
  return list.page(db, scope, filters, { by: 'relevance', direction: 'asc' }, slice);
}

async function attachAttributes<T extends BasicUserEntity>(db: Reader, users: readonly T[]): Promise<T[]> {
  const attributes = await customAttributesOf(
    db,
    'user',
    users.map((user) => user.id),
  );
  return users.map((user) => ({ ...user, custom_attributes: attributes.get(user.id) ?? [] }));
}
