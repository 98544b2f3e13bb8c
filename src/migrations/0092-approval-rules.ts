import type { Migration } from '../platform/database/migrator.ts';

/** Approval rules of projects and of single merge requests. */
export const approvalRules: Migration = {
  name: '0092-approval-rules',
  up: ({ id }) => [
    `create table approval_rules (
      id ${id},
      project_id bigint not null references projects (id) on delete cascade,
      merge_request_id bigint references merge_requests (id) on delete cascade,
      source_rule_id bigint references approval_rules (id) on delete set null,
      name text not null,
      rule_type text not null,
      approvals_required bigint not null,
      applies_to_all_protected_branches integer not null default 0,
      created_at bigint not null,
      updated_at bigint not null
    )`,
    'create index approval_rules_project on approval_rules (project_id, id) where merge_request_id is null',
    'create index approval_rules_merge_request on approval_rules (merge_request_id, id)',
    'create index approval_rules_source on approval_rules (source_rule_id) where source_rule_id is not null',
    `create table approval_rule_users (
      rule_id bigint not null references approval_rules (id) on delete cascade,
      user_id bigint not null references users (id) on delete cascade,
      primary key (rule_id, user_id)
    )`,
    'create index approval_rule_users_user on approval_rule_users (user_id)',
    `create table approval_rule_groups (
      rule_id bigint not null references approval_rules (id) on delete cascade,
      namespace_id bigint not null references namespaces (id) on delete cascade,
      primary key (rule_id, namespace_id)
    )`,
    'create index approval_rule_groups_namespace on approval_rule_groups (namespace_id)',
    `create table approval_settings (
      project_id bigint primary key references projects (id) on delete cascade,
      settings text not null
    )`,
  ],
};
