import type { Generated, Selectable } from 'kysely';

/** Somebody's request for groups and projects of another server. */
export interface BulkImportsTable {
  id: Generated<number>;
  user_id: number;
  status: TransferStatus;
  /** Without a path. */
  source_url: string;
  /** The token; null once it is over. */
  encrypted_data: string | null;
  has_failures: Generated<number>;
  created_at: number;
  updated_at: number;
}

export const transferStatuses = ['created', 'started', 'finished', 'timeout', 'failed', 'canceled'] as const;
export type TransferStatus = (typeof transferStatuses)[number];

/** One group or project of it; the groups and projects in a group are entities of their own. */
export interface BulkImportEntitiesTable {
  id: Generated<number>;
  bulk_import_id: number;
  user_id: number;
  parent_id: number | null;
  entity_type: 'group' | 'project';
  source_full_path: string;
  /** Empty for a group that becomes one at the top. */
  destination_namespace: string;
  destination_slug: string;
  /** What came of it. */
  namespace_id: Generated<number | null>;
  project_id: Generated<number | null>;
  migrate_projects: number;
  migrate_memberships: number;
  status: TransferStatus;
  /** The last stage that is done; of a project its import knows more. */
  stage: Generated<string>;
  /** JSON: where the present stage goes on. */
  cursors: Generated<string>;
  /** How often in a row it failed without getting any further. */
  failures: Generated<number>;
  has_failures: Generated<number>;
  /** JSON: how many of each relation were told of, fetched and imported. */
  stats: Generated<string>;
  created_at: number;
  updated_at: number;
}

/** Something that could not be brought along. */
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
