/** One row of the record that the migrator keeps. */
export interface SchemaMigrationsTable {
  name: string;
  checksum: string;
  applied_at: number;
}

/**
 * Every table of the database, by name. The platform knows only its own; each area adds the ones it owns from its
 * `tables.ts`, by declaration. The path is relative to the augmenting file and keeps its extension; the file must be a
 * module, so it needs at least one import or export:
 *
 * ```ts
 * import type { Generated } from 'kysely';
 *
 * export interface LabelsTable {
 *   id: Generated<number>;
 *   title: string;
 * }
 *
 * declare module './tables.ts' {
 *   interface Tables {
 *     labels: LabelsTable;
 *   }
 * }
 * ```
 */
export interface Tables {
  schema_migrations: SchemaMigrationsTable;
}
