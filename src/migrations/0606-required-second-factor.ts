import type { Migration } from '../platform/database/migrator.ts';

/** Who must have a second factor: since when they know, and the groups that ask for it, few among all. */
export const requiredSecondFactor: Migration = {
  name: '0606-required-second-factor',
  up: () => [
    'alter table users add column two_factor_grace_started_at bigint',
    `create index namespaces_two_factor on namespaces (id) where settings like '%"require_two_factor_authentication":true%'`,
  ],
};
