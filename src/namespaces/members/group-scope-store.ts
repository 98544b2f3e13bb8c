import { type Expression, type SqlBool, sql } from 'kysely';

/** Condition that a row belongs to a group, a descendant group, or a project inside them. */
export function insideGroup(groupId: number): Expression<SqlBool> {
  const inside = sql`select namespace_id from namespace_ancestors where ancestor_id = ${groupId}`;
  return sql<SqlBool>`(namespace_id in (${inside})
    or project_id in (select id from projects where namespace_id in (${inside})))`;
}
