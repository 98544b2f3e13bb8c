import { sql } from 'kysely';
import { type Actor, isAdmin, seesAll } from '../../access/actor.ts';
import type { Database, Reader } from '../../platform/database/database.ts';
import type { KeysetOrder } from '../../platform/database/keyset.ts';
import { fetchPage } from '../../platform/database/paging.ts';
import { checkOffset, cursorPage } from '../../platform/http/cursor.ts';
import { Forbidden } from '../../platform/http/errors.ts';
import { KeysetPage, Page, type PageRequest } from '../../platform/http/pagination.ts';
import type { Services } from '../../platform/services.ts';
import { customAttributesOf } from '../custom-attributes/service.ts';
import { hideBotNames } from './bot-names.ts';
import { byRelevance, filterUsers, type UserFilter } from './list-query.ts';
import { type BasicUserRow, basicColumns, presentBasicUser } from './present.ts';
import type { AdminUserEntity, BasicUserEntity } from './schema.ts';
import { newestProfiles, type ProfileRow, profiles } from './store.ts';
import { adminViews } from './views-for-admin.ts';

export interface UserList extends UserFilter {
  readonly order_by?: 'id' | 'name' | 'username' | 'created_at' | 'updated_at';
  readonly sort?: 'asc' | 'desc';
  readonly with_custom_attributes?: boolean;
  readonly pagination?: string;
  readonly cursor?: string;
}

type AnyPage<T> = Page<T> | KeysetPage<T>;

const columns: Readonly<Record<NonNullable<UserList['order_by']>, KeysetOrder['columns']>> = {
  id: { 'users.id': 'integer' },
  // Numbers are given out in the order of creation.
  created_at: { 'users.id': 'integer' },
  name: { 'users.name': 'text', 'users.id': 'integer' },
  username: { 'users.username': 'text', 'users.id': 'integer' },
  updated_at: { 'users.updated_at': 'integer', 'users.id': 'integer' },
};

/** The list that fits the viewer: basic for most, everything for administrators and auditors. */
export async function listUsers(
  { db, externalUrl }: Services,
  actor: Actor,
  options: UserList,
  page: PageRequest,
): Promise<AnyPage<BasicUserEntity | AdminUserEntity>> {
  const privileged = seesAll(actor);
  if (options.extern_uid !== undefined && !isAdmin(actor)) throw new Forbidden();
  // What administrators note on users is for them alone: a filter would tell it as well.
  const { custom_attributes, ...open } = options;
  const found = await fetchUsers(db, actor, isAdmin(actor) ? options : open, page, privileged);
  const rows = await hideBotNames(db.read, actor, found.items);
  const shown = privileged
    ? await adminViews(db.read, rows as ProfileRow[], actor, externalUrl)
    : rows.map((row) => presentBasicUser(row, externalUrl));
  const withAttributes = isAdmin(actor) && options.with_custom_attributes === true;
  const items = withAttributes ? await attachAttributes(db.read, shown) : shown;
  return found instanceof Page
    ? new Page(items, found.total, found.hasNext)
    : new KeysetPage(items, found.next, { ...found.headers });
}

type ListRow = BasicUserRow & Pick<ProfileRow, 'kind' | 'bot_project_id' | 'bot_namespace_id' | 'updated_at'>;

/** Nothing was asked that would leave users out or put them into another order. */
function isPlain({ with_custom_attributes, ...rest }: UserList): boolean {
  return Object.values(rest).every((value) => value === undefined || value === false);
}

async function fetchUsers(
  db: Database,
  actor: Actor,
  options: UserList,
  page: PageRequest,
  privileged: boolean,
): Promise<AnyPage<ListRow>> {
  if (options.pagination !== 'keyset') checkOffset(page, 'User');
  if (privileged && isPlain(options)) {
    const { rows, total } = await newestProfiles(db.read, actor.user?.id ?? 0, page);
    return new Page(rows, total);
  }
  const few = () =>
    db.read
      .selectFrom('users')
      .select([...basicColumns, 'users.kind', 'users.bot_project_id', 'users.bot_namespace_id', 'users.updated_at']);
  const all = () => profiles(db.read, sql<number>`${actor.user?.id ?? 0}`);
  // The larger view has every column of the smaller one.
  const query = filterUsers((privileged ? all() : few()) as ReturnType<typeof few>, options, privileged);
  const order = { columns: columns[options.order_by ?? 'id'], descending: options.sort !== 'asc' };
  if (options.pagination === 'keyset') return cursorPage(query, order, options.cursor, page.perPage);
  const ordered =
    options.search && !options.order_by && !options.sort
      ? byRelevance(query, options.search)
      : Object.keys(order.columns).reduce(
          (users, column) => users.orderBy(sql.ref(column), order.descending ? 'desc' : 'asc'),
          query,
        );
  const { rows, total } = await fetchPage(db.read, ordered, page);
  return new Page(rows, total);
}

async function attachAttributes<T extends BasicUserEntity>(db: Reader, users: readonly T[]): Promise<T[]> {
  const attributes = await customAttributesOf(
    db,
    'user',
    users.map((user) => user.id),
  );
  return users.map((user) => ({ ...user, custom_attributes: attributes.get(user.id) ?? [] }));
}
