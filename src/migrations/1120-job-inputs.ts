import type { Migration } from '../platform/database/migrator.ts';

/** Values given for the inputs of jobs. */
export const jobInputs: Migration = {
  name: '1120-job-inputs',
  up: ({ text }) => [`alter table ci_jobs add column inputs ${text}`],
};
