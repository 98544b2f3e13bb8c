import Type, { type Static } from 'typebox';
import { notBlank, param, required, withDefault } from '../../platform/http/params.ts';
import { entity, nullable } from '../../platform/http/schema.ts';

const holder = {
  id: Type.Integer(),
  access_level: nullable(Type.Integer()),
  access_level_description: Type.String(),
};
const people = { user_id: nullable(Type.Integer()), group_id: nullable(Type.Integer()) };

/** Who may push, or create a tag. */
export const KeyedAccessLevel = entity('ProtectedRefKeyedAccessLevel', {
  ...holder,
  deploy_key_id: nullable(Type.Integer()),
  ...people,
});
/** Who may merge, or unprotect. */
export const AccessLevel = entity('ProtectedRefAccessLevel', { ...holder, ...people });

const branchFields = {
  id: Type.Integer(),
  name: Type.String(),
  push_access_levels: Type.Array(KeyedAccessLevel),
  merge_access_levels: Type.Array(AccessLevel),
  allow_force_push: Type.Boolean(),
  unprotect_access_levels: Type.Array(AccessLevel),
  code_owner_approval_required: Type.Boolean(),
};
export const GroupProtectedBranch = entity('GroupProtectedBranch', branchFields);
export const ProtectedBranch = entity('ProtectedBranch', { ...branchFields, inherited: Type.Boolean() });
export const ProtectedTag = entity('ProtectedTag', {
  name: Type.String(),
  create_access_levels: Type.Array(KeyedAccessLevel),
});
export type ProtectedBranchEntity = Static<typeof ProtectedBranch>;
export type ProtectedTagEntity = Static<typeof ProtectedTag>;

export const owner = { id: required(param.string({ description: 'Number or URL-encoded path' })) };
export const search = param.string();
export const named = { ...owner, name: required(param.string({ description: 'A name, or a pattern with `*`' })) };

const levels = [0, 30, 40, 60];
const grants = () =>
  param.hashes({
    id: param.integer(),
    _destroy: param.boolean(),
    access_level: param.integerOf(levels),
    user_id: param.integer(),
    group_id: param.integer(),
    deploy_key_id: param.integer(),
  });

const lists = { allowed_to_push: grants(), allowed_to_merge: grants(), allowed_to_unprotect: grants() };
const unprotectLevel = { unprotect_access_level: param.integerOf(levels.slice(1)) };

export const branchCreation = {
  ...owner,
  name: required(param.string()),
  push_access_level: param.integerOf(levels),
  merge_access_level: param.integerOf(levels),
  ...unprotectLevel,
  allow_force_push: withDefault(param.boolean(), false),
  code_owner_approval_required: withDefault(param.boolean(), false),
  ...lists,
};
export const branchChange = {
  ...named,
  allow_force_push: notBlank(param.boolean()),
  ...unprotectLevel,
  code_owner_approval_required: param.boolean(),
  ...lists,
};
export const tagCreation = {
  ...owner,
  name: required(param.string()),
  create_access_level: param.integerOf(levels),
  allowed_to_create: grants(),
};

const ruleFields = {
  commit_message_regex: nullable(Type.String()),
  commit_message_negative_regex: nullable(Type.String()),
  branch_name_regex: nullable(Type.String()),
  deny_delete_tag: Type.Boolean(),
  member_check: Type.Boolean(),
  prevent_secrets: Type.Boolean(),
  author_email_regex: nullable(Type.String()),
  file_name_regex: nullable(Type.String()),
  max_file_size: Type.Integer(),
  commit_committer_check: Type.Boolean(),
  commit_committer_name_check: Type.Boolean(),
  reject_unsigned_commits: Type.Boolean(),
  reject_non_dco_commits: Type.Boolean(),
};
const created = Type.String({ format: 'date-time' });
export const ProjectPushRule = entity('ProjectPushRule', {
  id: Type.Integer(),
  project_id: Type.Integer(),
  created_at: created,
  ...ruleFields,
});
export const GroupPushRule = entity('GroupPushRule', { id: Type.Integer(), created_at: created, ...ruleFields });

export const pushRule = {
  ...owner,
  deny_delete_tag: param.boolean(),
  member_check: param.boolean(),
  prevent_secrets: param.boolean(),
  commit_message_regex: param.string(),
  commit_message_negative_regex: param.string(),
  branch_name_regex: param.string(),
  author_email_regex: param.string(),
  file_name_regex: param.string(),
  max_file_size: param.integer(),
  commit_committer_check: param.boolean(),
  commit_committer_name_check: param.boolean(),
  reject_unsigned_commits: param.boolean(),
  reject_non_dco_commits: param.boolean(),
};
