import type { Generated, Selectable } from 'kysely';

/** A branch protection rule of a project, or of a group for all of its projects. */
export interface ProtectedBranchesTable {
  id: Generated<number>;
  project_id: number | null;
  namespace_id: number | null;
  /** A branch name; `*` matches any characters. */
  name: string;
  allow_force_push: Generated<number>;
  code_owner_approval_required: Generated<number>;
  created_at: number;
  updated_at: number;
}

export interface ProtectedTagsTable {
  id: Generated<number>;
  project_id: number;
  name: string;
  created_at: number;
  updated_at: number;
}

export type GrantAction = 'push' | 'merge' | 'unprotect' | 'create';

/** Grants an action on the refs of a rule to a role, a user, a group or a deploy key. */
export interface ProtectedRefGrantsTable {
  id: Generated<number>;
  branch_id: number | null;
  tag_id: number | null;
  action: GrantAction;
  access_level: number | null;
  user_id: number | null;
  group_id: number | null;
  deploy_key_id: number | null;
}

/** Rules for pushes to a project, or to all projects of a group. */
export interface PushRulesTable {
  id: Generated<number>;
  project_id: number | null;
  namespace_id: number | null;
  commit_message_regex: string | null;
  commit_message_negative_regex: string | null;
  branch_name_regex: string | null;
  author_email_regex: string | null;
  file_name_regex: string | null;
  deny_delete_tag: Generated<number>;
  member_check: Generated<number>;
  prevent_secrets: Generated<number>;
  max_file_size: Generated<number>;
  commit_committer_check: Generated<number>;
  commit_committer_name_check: Generated<number>;
  reject_unsigned_commits: Generated<number>;
  reject_non_dco_commits: Generated<number>;
  created_at: number;
}

export type ProtectedBranchRow = Selectable<ProtectedBranchesTable>;
export type ProtectedTagRow = Selectable<ProtectedTagsTable>;
export type GrantRow = Selectable<ProtectedRefGrantsTable>;
export type PushRuleRow = Selectable<PushRulesTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    protected_branches: ProtectedBranchesTable;
    protected_tags: ProtectedTagsTable;
    protected_ref_grants: ProtectedRefGrantsTable;
    push_rules: PushRulesTable;
  }
}
