import type { Generated, Selectable } from 'kysely';

/** A user's request to migrate groups and projects from another server. */
export interface BulkImportsTable {
  id: Generated<number>;
  user_id: number;
  status: TransferStatus;
  /** Without a path. */
  source_url: string;
  /** The access token; null once the migration has ended. */
  encrypted_data: string | null;
  has_failures: Generated<number>;
  created_at: number;
  updated_at: number;
}

export const transferStatuses = ['created', 'started', 'finished', 'timeout', 'failed', 'canceled'] as const;
export type TransferStatus = (typeof transferStatuses)[number];

/** A group or project of a migration. Subgroups and projects of a group are separate entities. */
export interface BulkImportEntitiesTable {
  id: Generated<number>;
  bulk_import_id: number;
  user_id: number;
  parent_id: number | null;
  entity_type: 'group' | 'project';
  source_full_path: string;
  /** Empty for a top-level group. */
  destination_namespace: string;
  destination_slug: string;
  /** The created group or project. */
  namespace_id: Generated<number | null>;
  project_id: Generated<number | null>;
  migrate_projects: number;
  migrate_memberships: number;
  status: TransferStatus;
  /** Last completed stage. For projects, the import has its own. */
  stage: Generated<string>;
  /** JSON: progress of the current stage. */
  cursors: Generated<string>;
  /** Number of consecutive failures without progress. */
  failures: Generated<number>;
  has_failures: Generated<number>;
  /** JSON: records of each relation at the source, fetched and imported. */
  stats: Generated<string>;
  created_at: number;
  updated_at: number;
}

/** A record that could not be migrated. */
export interface BulkImportFailuresTable {
  id: Generated<number>;
  entity_id: number;
  relation: string;
  source_title: string;
  exception_class: string;
  exception_message: string;
  created_at: number;
}

export type BulkImportRow = Selectable<BulkImportsTable>;
export type EntityRow = Selectable<BulkImportEntitiesTable>;
export type FailureRow = Selectable<BulkImportFailuresTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    bulk_imports: BulkImportsTable;
    bulk_import_entities: BulkImportEntitiesTable;
    bulk_import_failures: BulkImportFailuresTable;
  }
}
