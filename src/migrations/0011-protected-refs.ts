import type { Migration } from '../platform/database/migrator.ts';

/** Protected branches and tags with their access levels, and push rules. */
export const protectedRefs: Migration = {
  name: '0011-protected-refs',
  up: ({ id, text }) => [
    `create table protected_branches (
      id ${id},
      project_id bigint references projects (id) on delete cascade,
      namespace_id bigint references namespaces (id) on delete cascade,
      name ${text} not null,
      allow_force_push integer not null default 0,
      code_owner_approval_required integer not null default 0,
      created_at bigint not null,
      updated_at bigint not null,
      check ((namespace_id is null) <> (project_id is null))
    )`,
    'create unique index protected_branches_project on protected_branches (project_id, name) where project_id is not null',
    `create unique index protected_branches_namespace on protected_branches (namespace_id, name)
      where namespace_id is not null`,

    `create table protected_tags (
      id ${id},
      project_id bigint not null references projects (id) on delete cascade,
      name ${text} not null,
      created_at bigint not null,
      updated_at bigint not null
    )`,
    'create unique index protected_tags_project on protected_tags (project_id, name)',

    `create table protected_ref_grants (
      id ${id},
      branch_id bigint references protected_branches (id) on delete cascade,
      tag_id bigint references protected_tags (id) on delete cascade,
      action text not null,
      access_level integer,
      user_id bigint references users (id) on delete cascade,
      group_id bigint references namespaces (id) on delete cascade,
      deploy_key_id bigint references ssh_keys (id) on delete cascade,
      check ((branch_id is null) <> (tag_id is null))
    )`,
    'create index protected_ref_grants_branch on protected_ref_grants (branch_id) where branch_id is not null',
    'create index protected_ref_grants_tag on protected_ref_grants (tag_id) where tag_id is not null',
    'create index protected_ref_grants_user on protected_ref_grants (user_id) where user_id is not null',
    'create index protected_ref_grants_group on protected_ref_grants (group_id) where group_id is not null',
    'create index protected_ref_grants_key on protected_ref_grants (deploy_key_id) where deploy_key_id is not null',

    `create table push_rules (
      id ${id},
      project_id bigint references projects (id) on delete cascade,
      namespace_id bigint references namespaces (id) on delete cascade,
      commit_message_regex text,
      commit_message_negative_regex text,
      branch_name_regex text,
      author_email_regex text,
      file_name_regex text,
      deny_delete_tag integer not null default 0,
      member_check integer not null default 0,
      prevent_secrets integer not null default 0,
      max_file_size bigint not null default 0,
      commit_committer_check integer not null default 0,
      commit_committer_name_check integer not null default 0,
      reject_unsigned_commits integer not null default 0,
      reject_non_dco_commits integer not null default 0,
      created_at bigint not null,
      check ((namespace_id is null) <> (project_id is null))
    )`,
    'create unique index push_rules_project on push_rules (project_id) where project_id is not null',
    'create unique index push_rules_namespace on push_rules (namespace_id) where namespace_id is not null',
  ],
};
