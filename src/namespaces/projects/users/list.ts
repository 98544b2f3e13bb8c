import { type Expression, type SqlBool, sql } from 'kysely';
import { userSearch } from '../../../access/search.ts';
import { basicColumns } from '../../../people/users/public.ts';
import { type BoundFilterOf, boundProperties } from '../../../platform/database/form.ts';
import { param } from '../../../platform/http/params.ts';
import { excludes } from '../../../platform/list-kit/filters.ts';
import { list } from '../../../platform/list-kit/list.ts';
import { byId } from '../../../platform/list-kit/order.ts';
import { searchFilters } from '../../../platform/list-kit/searching.ts';

const inForce = (table: string, now: Expression<number>) =>
  sql`(${sql.ref(`${table}.expires_at`)} is null or ${sql.ref(`${table}.expires_at`)} > ${now})`;

interface PeopleScope {
  readonly project: number;
  readonly namespace: number;
  readonly now: number;
}

const scope = boundProperties<PeopleScope>()({ values: ['project', 'namespace', 'now'] });

/** Ids of all users with a role in a project: direct, inherited, or through an invited group. */
function memberIds({ project, namespace, now }: BoundFilterOf<typeof scope>) {
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

/** All members of a project, including inherited ones. */
export const projectUsers = list({
  id: 'users.id',
  scope,
  filters: {
    search: searchFilters({
      index: userSearch,
      columns: { name: 'users.name', username: 'users.username' },
      byWords: true,
    }).search,
    skip_users: excludes('users.id', param.integers()),
  },
  orders: { id: byId },
  select: (db, ask) =>
    db
      .selectFrom('users')
      .select(basicColumns)
      .where(sql<SqlBool>`users.id in (${memberIds(ask)})`),
});
