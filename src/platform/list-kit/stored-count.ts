import { type Expression, type RawBuilder, sql } from 'kysely';

/** SQL for a row count that does not read the rows of the list. */
export type StoredCount = RawBuilder<number>;

/**
 * A row count maintained by triggers (src/migrations/0650-kept-counts.ts) under a name: of a table, or of the rows of a
 * table with a value in one column. Zero if nothing was counted yet.
 */
export function storedCount(counted: string | RawBuilder<string>, owner: Expression<number> | number = 0): StoredCount {
  const name = typeof counted === 'string' ? sql.lit(counted) : counted;
  return sql<number>`coalesce((select total from derived_counts where counted = ${name} and owner = ${owner}), 0)`;
}

/** The stored count of the rows of a project or group. */
export function storedCountOf(
  table: string,
  {
    project_id,
    namespace_id,
  }: Readonly<Record<'project_id' | 'namespace_id', Expression<number> | number | null | undefined>>,
): StoredCount | undefined {
  if (project_id != null) return storedCount(`${table}.project_id`, project_id);
  return namespace_id == null ? undefined : storedCount(`${table}.namespace_id`, namespace_id);
}
