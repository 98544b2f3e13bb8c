import type { Migration } from '../platform/database/migrator.ts';

/** Memberships awaiting approval, in a separate table so that role lookups never find them. */
export const awaitingMembers: Migration = {
  name: '0600-awaiting-members',
  up: ({ id }) => [
    `create table awaiting_members (
      id ${id},
      user_id bigint not null references users (id) on delete cascade,
      namespace_id bigint references namespaces (id) on delete cascade,
      project_id bigint references projects (id) on delete cascade,
      access_level integer not null,
      expires_at bigint,
      created_by_id bigint references users (id) on delete set null,
      ldap integer not null default 0,
      override integer not null default 0,
      created_at bigint not null,
      check ((namespace_id is null) <> (project_id is null))
    )`,
    'create unique index awaiting_members_namespace on awaiting_members (namespace_id, user_id) where namespace_id is not null',
    'create unique index awaiting_members_project on awaiting_members (project_id, user_id) where project_id is not null',
    'create index awaiting_members_user on awaiting_members (user_id)',
    'create index awaiting_members_creator on awaiting_members (created_by_id) where created_by_id is not null',
    'create index awaiting_members_expiry on awaiting_members (expires_at) where expires_at is not null',
  ],
};
