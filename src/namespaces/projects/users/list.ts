import { type Expression, sql } from 'kysely';
import { userSearch } from '../../../access/search.ts';
import { basicColumns } from '../../../people/users/public.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { contains } from '../../../platform/database/expressions.ts';
import { type AskedOf, form } from '../../../platform/database/form.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { type Searching, searchFor, searchLists, searchValues } from '../../../platform/database/search-index.ts';
import { shapedList } from '../../../platform/database/shaped.ts';

const inForce = (table: string, now: Expression<number>) =>
  sql`(${sql.ref(`${table}.expires_at`)} is null or ${sql.ref(`${table}.expires_at`)} > ${now})`;

export interface PeopleFilter {
  readonly project: number;
  readonly namespace: number;
  readonly now: number;
  readonly search?: string | undefined;
  readonly skip?: readonly number[] | undefined;
}

const people = form<PeopleFilter & Searching>()({
  values: ['project', 'namespace', 'now', 'search', ...searchValues],
  lists: ['skip', ...searchLists],
});

/** Everyone with a role in a project: of its own, of the groups above, or through an invited group. */
function memberIds({ project, namespace, now }: AskedOf<typeof people>) {
  const above = sql`select ancestor_id from namespace_ancestors where namespace_id = ${namespace}`;
  return sql`
    select m.user_id from members m where m.project_id = ${project} and ${inForce('m', now)}
    union
    select m.user_id from members m where m.namespace_id in (${above}) and ${inForce('m', now)}
    union
    select m.user_id from project_shares s
      join namespace_ancestors g on g.namespace_id = s.with_namespace_id
      join members m on m.namespace_id = g.ancestor_id
      where s.project_id = ${project} and ${inForce('s', now)} and ${inForce('m', now)}
    union
    select m.user_id from group_shares s
      join namespace_ancestors g on g.namespace_id = s.with_namespace_id
      join members m on m.namespace_id = g.ancestor_id
      where s.namespace_id in (${above}) and ${inForce('s', now)} and ${inForce('m', now)}`;
}

const userList = shapedList(people, (db, ask, engine) => {
  let query = userSearch
    .narrow(db.selectFrom('users'), 'users.id', ask, engine)
    .select(basicColumns)
    .where(sql<boolean>`users.id in (${memberIds(ask)})`)
    .orderBy('users.id');
  const { search, skip } = ask;
  if (search) {
    query = query.where((eb) =>
      eb.or([contains(eb.ref('users.name'), search), contains(eb.ref('users.username'), search)]),
    );
  }
  return skip ? query.where('users.id', 'not in', skip) : query;
});

/** The people of a project, inherited ones included. */
export function listPeople(db: Reader, { search, skip, ...filter }: PeopleFilter, slice: Slice) {
  const wanted = {
    ...filter,
    search: search || undefined,
    ...searchFor(search),
    skip: skip?.length ? skip : undefined,
  };
  return userSearch.page(userList, db, wanted, slice);
}
