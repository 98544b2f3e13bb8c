import type { Migration } from '../platform/database/migrator.ts';

/** When memberships and invitations changed last, for conditional deletion. Null until the first change. */
export const membershipChanges: Migration = {
  name: '1200-membership-changes',
  up: () => ['members', 'member_invitations'].map((table) => `alter table ${table} add column updated_at bigint`),
};
