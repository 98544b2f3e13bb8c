import type { Migration } from '../platform/database/migrator.ts';

/** The deploy token provided to jobs as a variable must be readable, so only this one is stored, encrypted. */
export const deployTokenOfJobs: Migration = {
  name: '0300-deploy-token-of-jobs',
  up: () => ['alter table deploy_tokens add column sealed text'],
};
