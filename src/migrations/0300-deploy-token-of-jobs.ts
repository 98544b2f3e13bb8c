import type { Migration } from '../platform/database/migrator.ts';

/** The deploy token that jobs find among their variables has to be read again: it alone is kept, encrypted. */
export const deployTokenOfJobs: Migration = {
  name: '0300-deploy-token-of-jobs',
  up: () => ['alter table deploy_tokens add column sealed text'],
};
