import type { Migration } from '../platform/database/migrator.ts';

/** Index to iterate over the projects with jobs waiting for instance runners. */
export const fairQueue: Migration = {
  name: '0352-fair-queue',
  up: () => ['create index pending_jobs_instance on pending_jobs (instance_runners, project_id, job_id)'],
};
