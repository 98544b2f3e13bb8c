import type { Migration } from '../platform/database/migrator.ts';

/** The deployments of a commit, which merge requests show. */
export const deploymentsByCommit: Migration = {
  name: '0770-deployments-by-commit',
  up: () => ['create index deployments_sha on deployments (project_id, sha, id)'],
};
