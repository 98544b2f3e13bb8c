import type { Migration } from '../platform/database/migrator.ts';

/** Sign-ins through a provider that have been answered: none is answered twice. */
export const openidSignIn: Migration = {
  name: '0960-openid-sign-in',
  up: () => [
    'create table openid_spent_flows (digest text primary key, expires_at bigint not null)',
    'create index openid_spent_flows_expires_at on openid_spent_flows (expires_at)',
  ],
};
