import type { Generated, Selectable } from 'kysely';

export const processModes = ['unordered', 'oldest_first', 'newest_first', 'newest_ready_first'] as const;
export type ProcessMode = (typeof processModes)[number];

/** A resource that jobs of a project use one at a time. */
export interface ResourceGroupsTable {
  id: Generated<number>;
  project_id: number;
  key: string;
  process_mode: ProcessMode;
  created_at: number;
  updated_at: number;
}

/** A job that holds the resource or waits for it. */
export interface ResourceGroupJobsTable {
  job_id: number;
  resource_group_id: number;
  holds: number;
}

export type ResourceGroupRow = Selectable<ResourceGroupsTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    resource_groups: ResourceGroupsTable;
    resource_group_jobs: ResourceGroupJobsTable;
  }
}
