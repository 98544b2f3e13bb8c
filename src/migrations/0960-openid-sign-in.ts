import type { Migration } from '../platform/database/migrator.ts';

/** Completed OpenID Connect sign-in flows, so that none is used twice. */
export const openidSignIn: Migration = {
  name: '0960-openid-sign-in',
  up: () => [
    'create table openid_spent_flows (digest text primary key, expires_at bigint not null)',
    'create index openid_spent_flows_expires_at on openid_spent_flows (expires_at)',
  ],
};
