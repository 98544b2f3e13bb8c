import type { Migration } from '../platform/database/migrator.ts';

/** When CI/CD variables changed last, for conditional deletion. Null for older rows of unknown age. */
export const variableChanges: Migration = {
  name: '1172-variable-changes',
  up: () => ['alter table ci_variables add column updated_at bigint'],
};
