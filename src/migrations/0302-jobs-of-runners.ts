import type { Migration } from '../platform/database/migrator.ts';

/** The jobs of a runner in one state, among a million in others. */
export const jobsOfRunners: Migration = {
  name: '0302-jobs-of-runners',
  up: () => ['create index ci_jobs_runner_status on ci_jobs (runner_id, status, id) where runner_id is not null'],
};
