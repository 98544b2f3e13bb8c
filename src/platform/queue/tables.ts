import type { Generated } from 'kysely';

/** Waiting for its time or a worker; leased by a worker; given up, and kept for the administrator. */
export type JobState = 'pending' | 'running' | 'dead';

export interface JobsTable {
  id: Generated<number>;
  kind: string;
  /** Kind and priority: workers take from the front of each. */
  lane: string;
  /** JSON. */
  payload: string;
  state: Generated<JobState>;
  dedupe_key: string | null;
  /** Kind and `dedupe_key` while the job is waiting, so that a unique index allows only one. */
  waiting_key: string | null;
  run_at: number;
  /** Number of attempts started. */
  attempts: Generated<number>;
  max_attempts: number;
  lease_token: string | null;
  lease_until: number | null;
  /** Why the last attempt failed. */
  error: string | null;
  created_at: number;
  failed_at: number | null;
}

export interface RecurringJobsTable {
  name: string;
  next_run_at: number;
  last_run_at: number | null;
}

declare module '../database/tables.ts' {
  interface Tables {
    jobs: JobsTable;
    recurring_jobs: RecurringJobsTable;
  }
}
