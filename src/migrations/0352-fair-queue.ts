import type { Migration } from '../platform/database/migrator.ts';

/** From project to project among those whose jobs wait for runners of the instance. */
export const fairQueue: Migration = {
  name: '0352-fair-queue',
  up: () => ['create index pending_jobs_instance on pending_jobs (instance_runners, project_id, job_id)'],
};
