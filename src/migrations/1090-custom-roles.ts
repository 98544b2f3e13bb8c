import type { Migration } from '../platform/database/migrator.ts';

/** What names a custom role, if anything. A role in use is not deleted, except with the group that it belongs to. */
const holders = [
  'members',
  'awaiting_members',
  'member_invitations',
  'group_shares',
  'project_shares',
  'ldap_group_links',
];

/** Custom roles of the instance or of a top-level group, and who has them. */
export const customRoles: Migration = {
  name: '1090-custom-roles',
  up: ({ id, text, ref }) => [
    `create table member_roles (
      id ${id},
      namespace_id ${ref('namespaces')} on delete cascade,
      name ${text} not null,
      description ${text},
      base_access_level integer not null,
      permissions ${text} not null,
      created_at bigint not null
    )`,
    'create unique index member_roles_namespace on member_roles (namespace_id, name) where namespace_id is not null',
    'create unique index member_roles_instance on member_roles (name) where namespace_id is null',
    ...holders.flatMap((table) => [
      `alter table ${table} add column member_role_id ${ref('member_roles')} on delete set null`,
      `create index ${table}_role on ${table} (member_role_id) where member_role_id is not null`,
    ]),
  ],
};
