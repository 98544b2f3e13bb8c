import type { Migration } from '../platform/database/migrator.ts';

const now = {
  sqlite: "cast(strftime('%s', 'now') as integer) * 1000",
  postgres: 'cast(extract(epoch from now()) * 1000 as bigint)',
};

/**
 * Since when a token is revoked: bots of tokens that have ended long ago are removed. Of those that were revoked before this
 * was noted it counts from now.
 */
export const endedTokens: Migration = {
  name: '1060-ended-tokens',
  up: ({ engine }) => [
    'alter table access_tokens add column revoked_at bigint',
    `update access_tokens set revoked_at = ${now[engine]} where revoked = 1`,
    "create index users_token_bots on users (id) where kind = 'project_bot'",
  ],
};
