import type { Migration } from '../platform/database/migrator.ts';

/** Search index of invitation addresses. */
export const invitationSearch: Migration = {
  name: '0700-invitation-search',
  up: (dialect) => dialect.search({ table: 'member_invitations', columns: ['email'] }),
};
