import { type RawBuilder, type SqlBool, sql } from 'kysely';

const archivedNamespaces = sql`
  select a.namespace_id from namespace_ancestors a join namespaces n on n.id = a.ancestor_id where n.archived = 1`;

/** Condition that a project is archived itself, below an archived group, or marked for deletion: it is read-only. */
export function isArchivedProject(table: string): RawBuilder<SqlBool> {
  const column = (name: string) => sql.ref(`${table}.${name}`);
  return sql`(${column('archived')} = 1 or ${column('marked_for_deletion_at')} is not null
    or ${column('namespace_id')} in (${archivedNamespaces}))`;
}
