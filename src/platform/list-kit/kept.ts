import { type Expression, type RawBuilder, sql } from 'kysely';

/** How many rows there are, as SQL that reads no row of the list. */
export type Kept = RawBuilder<number>;

/**
 * How many rows triggers have counted under a name (src/migrations/0650-kept-counts.ts): of a table, or of a column of it with
 * the value. What nothing was ever counted of has none.
 */
export function kept(counted: string | RawBuilder<string>, owner: Expression<number> | number = 0): Kept {
  const name = typeof counted === 'string' ? sql.lit(counted) : counted;
  return sql<number>`coalesce((select total from derived_counts where counted = ${name} and owner = ${owner}), 0)`;
}

/** Those of a project or a group. */
export function keptOf(
  table: string,
  {
    project_id,
    namespace_id,
  }: Readonly<Record<'project_id' | 'namespace_id', Expression<number> | number | null | undefined>>,
): Kept | undefined {
  if (project_id != null) return kept(`${table}.project_id`, project_id);
  return namespace_id == null ? undefined : kept(`${table}.namespace_id`, namespace_id);
}
