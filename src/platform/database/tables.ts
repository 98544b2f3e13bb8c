/** A migration recorded by the migrator. */
export interface SchemaMigrationsTable {
  name: string;
  checksum: string;
  applied_at: number;
}

/**
 * Every table of the database, by name. The platform declares only its own; each area adds its tables in its
 * `tables.ts` by declaration merging. The module path is relative to the augmenting file and includes the extension;
 * the file must be a module, so it needs at least one import or export:
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
