import type { Migration } from '../platform/database/migrator.ts';

/** Index of a runner's jobs by status. */
export const jobsOfRunners: Migration = {
  name: '0302-jobs-of-runners',
  up: () => ['create index ci_jobs_runner_status on ci_jobs (runner_id, status, id) where runner_id is not null'],
};
