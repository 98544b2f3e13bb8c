/** A job that waits for a runner, with what decides which runners may have it. */
export interface PendingJobsTable {
  job_id: number;
  project_id: number;
  /** 1 where its ref is protected: runners kept to such refs may have it. */
  protected: number;
  /** A JSON array, as the job has it. */
  tag_list: string;
  /** Whether the project lets runners of the instance, and of its groups, have its jobs. */
  instance_runners: number;
  group_runners: number;
}

declare module '../../platform/database/tables.ts' {
  interface Tables {
    pending_jobs: PendingJobsTable;
  }
}
