import type { Migration } from '../platform/database/migrator.ts';

/** Index of deployments by commit, shown in merge requests. */
export const deploymentsByCommit: Migration = {
  name: '0770-deployments-by-commit',
  up: () => ['create index deployments_sha on deployments (project_id, sha, id)'],
};
