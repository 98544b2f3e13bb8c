import { type Expression, type SqlBool, sql } from 'kysely';

/** For `where`: the row is of the group, of one below it, or of a project in these. */
export function insideGroup(groupId: number): Expression<SqlBool> {
  const inside = sql`select namespace_id from namespace_ancestors where ancestor_id = ${groupId}`;
  return sql<SqlBool>`(namespace_id in (${inside})
    or project_id in (select id from projects where namespace_id in (${inside})))`;
}
