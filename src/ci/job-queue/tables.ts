/** A pending job, with the attributes that decide which runners may take it. */
export interface PendingJobsTable {
  job_id: number;
  project_id: number;
  /** Whether the ref is protected: required by runners with `access_level` `ref_protected`. */
  protected: number;
  /** JSON array, as in `ci_jobs`. */
  tag_list: string;
  /** Whether the project accepts instance runners and group runners. */
  instance_runners: number;
  group_runners: number;
}

declare module '../../platform/database/tables.ts' {
  interface Tables {
    pending_jobs: PendingJobsTable;
  }
}
