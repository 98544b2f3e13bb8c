import { type Actor, isAdmin, seesAll } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { Database, Reader } from '../../../platform/database/database.ts';
import type { KeysetOrder } from '../../../platform/database/keyset.ts';
import { searchFor } from '../../../platform/database/search-index.ts';
import type { ShapedList } from '../../../platform/database/shaped.ts';
import { checkOffset, cursorPage } from '../../../platform/http/cursor.ts';
import { Forbidden } from '../../../platform/http/errors.ts';
import { KeysetPage, Page, type PageRequest } from '../../../platform/http/pagination.ts';
import { customAttributesOf } from '../../custom-attributes/public.ts';
import { hideBotNames } from './bot-names.ts';
import { basicList, matchingOf, profileList, searchTerm, type UserFilter, type UserQuestion } from './list.ts';
import { presentBasicUser } from './present.ts';
import type { AdminUserEntity, BasicUserEntity } from './schema.ts';
import { pageOfUsers, startUsers } from './search-list.ts';
import { adminViews } from './service.ts';

export interface UserList extends UserFilter {
  readonly order_by?: 'id' | 'name' | 'username' | 'created_at' | 'updated_at';
  readonly sort?: 'asc' | 'desc';
  readonly with_custom_attributes?: boolean;
  readonly pagination?: string;
  readonly cursor?: string;
}

type AnyPage<T> = Page<T> | KeysetPage<T>;
type Column = Exclude<UserQuestion['by'], 'relevance'>;

const columns: Readonly<Record<Column, KeysetOrder['columns']>> = {
  id: { 'users.id': 'integer' },
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
  if (options.extern_uid !== undefined && !isAdmin(actor)) throw new Forbidden();
  if (options.pagination !== 'keyset') checkOffset(page, 'User');
  const question = questionOf(actor, options);
  const withAttributes = isAdmin(actor) && options.with_custom_attributes === true;
  const finish = async <T extends BasicUserEntity>(found: AnyPage<unknown>, users: readonly T[]) => {
    const items = withAttributes ? await attachAttributes(db.read, users) : users;
    return found instanceof Page
      ? new Page(items, found.total, found.hasNext)
      : new KeysetPage(items, found.next, { ...found.headers });
  };
  if (question.privileged) {
    const found = await fetchUsers(db, profileList, question, options, page);
    return finish(found, await adminViews(db.read, found.items, actor, externalUrl));
  }
  const found = await fetchUsers(db, basicList, question, options, page);
  const rows = await hideBotNames(db.read, actor, found.items);
  return finish(
    found,
    rows.map((row) => presentBasicUser(row, externalUrl)),
  );
}

/** What the options mean when this actor sends them. */
function questionOf(actor: Actor, options: UserList): UserQuestion {
  const { search, custom_attributes, order_by, sort, with_custom_attributes, pagination, cursor, ...filter } = options;
  const term = search === undefined ? undefined : searchTerm(search);
  const privileged = seesAll(actor);
  const ranked = search && !order_by && !sort && pagination !== 'keyset';
  // Numbers are given out in the order of creation.
  const column = order_by === undefined || order_by === 'created_at' ? 'id' : order_by;
  return {
    ...filter,
    username: filter.username || undefined,
    public_email: filter.public_email || undefined,
    viewer: actor.user?.id ?? 0,
    privileged,
    term,
    matching: term === undefined ? undefined : matchingOf(term),
    byAddress: privileged && term?.includes('@') === true,
    ...searchFor(term),
    // What administrators note on users is for them alone: a filter would tell it as well.
    attributes: custom_attributes && isAdmin(actor) ? Object.entries(custom_attributes) : undefined,
    by: ranked ? 'relevance' : column,
    sort: sort ?? 'desc',
  };
}

async function fetchUsers<R extends object>(
  { read }: Database,
  list: ShapedList<UserQuestion, R>,
  question: UserQuestion,
  { pagination, cursor }: UserList,
  page: PageRequest,
): Promise<AnyPage<R>> {
  if (pagination !== 'keyset') {
    const { rows, total } = await pageOfUsers(read, list, question, page);
    return new Page(rows, total);
  }
  const started = await startUsers(read, question);
  const order = { columns: columns[question.by as Column], descending: question.sort !== 'asc' };
  return cursorPage(order, cursor, (position) => list.walk(read, started, order, position, page.perPage));
}

async function attachAttributes<T extends BasicUserEntity>(db: Reader, users: readonly T[]): Promise<T[]> {
  const attributes = await customAttributesOf(
    db,
    'user',
    users.map((user) => user.id),
  );
  return users.map((user) => ({ ...user, custom_attributes: attributes.get(user.id) ?? [] }));
}
