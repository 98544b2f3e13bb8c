import type { Migration } from '../platform/database/migrator.ts';

/** Indexes to count and list users, tokens and top-level groups without reading their rows. */
export const flatLists: Migration = {
  name: '0476-flat-lists',
  up: () => [
    'create index users_state on users (state, kind, id)',
    'create index access_tokens_personal on access_tokens (id) where impersonation = 0',
    "create index namespaces_top on namespaces (name, id) where kind = 'group' and parent_id is null",
  ],
};
