import type { Migration } from '../platform/database/migrator.ts';

/** LDAP group links with their roles, and the status of group synchronization. */
export const directoryGroups: Migration = {
  name: '0230-directory',
  up: (dialect) => [
    `create table ldap_group_links (
      id ${dialect.id},
      namespace_id bigint not null references namespaces (id) on delete cascade,
      provider text not null,
      cn text,
      filter text,
      target_digest text not null,
      group_access integer not null,
      created_at bigint not null
    )`,
    'create unique index ldap_group_links_target on ldap_group_links (namespace_id, provider, target_digest)',
    'create index ldap_group_links_provider on ldap_group_links (provider, namespace_id)',
    `create table ldap_group_syncs (
      namespace_id bigint primary key references namespaces (id) on delete cascade,
      status text not null,
      error text,
      last_sync_at bigint,
      last_update_at bigint,
      last_successful_update_at bigint
    )`,
    'create index identities_provider on identities (provider, user_id)',
    'alter table members add column ldap integer not null default 0',
    'alter table members add column override integer not null default 0',
  ],
};
