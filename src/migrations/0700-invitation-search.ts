import type { Migration } from '../platform/database/migrator.ts';

/** Invitations are found by a part of their address. */
export const invitationSearch: Migration = {
  name: '0700-invitation-search',
  up: (dialect) => dialect.search({ table: 'member_invitations', columns: ['email'] }),
};
