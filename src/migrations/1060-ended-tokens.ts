import type { Migration } from '../platform/database/migrator.ts';

const now = {
  sqlite: "cast(strftime('%s', 'now') as integer) * 1000",
  postgres: 'cast(extract(epoch from now()) * 1000 as bigint)',
};

/**
 * Records when a token was revoked, to delete the bots of long expired tokens. For tokens revoked earlier, the time of
 * the migration counts.
 */
export const endedTokens: Migration = {
  name: '1060-ended-tokens',
  up: ({ engine }) => [
    'alter table access_tokens add column revoked_at bigint',
    `update access_tokens set revoked_at = ${now[engine]} where revoked = 1`,
    "create index users_token_bots on users (id) where kind = 'project_bot'",
  ],
};
