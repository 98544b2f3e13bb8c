import type { Migration } from '../platform/database/migrator.ts';

/**
 * Enforced two-factor authentication: the start of the grace period of users, and an index of the few groups that
 * require it.
 */
export const requiredSecondFactor: Migration = {
  name: '0606-required-second-factor',
  up: () => [
    'alter table users add column two_factor_grace_started_at bigint',
    `create index namespaces_two_factor on namespaces (id) where settings like '%"require_two_factor_authentication":true%'`,
  ],
};
