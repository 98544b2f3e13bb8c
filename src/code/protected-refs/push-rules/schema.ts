import Type from 'typebox';
import { atLeastOneOf, param } from '../../../platform/http/params.ts';
import { entity, nullable } from '../../../platform/http/schema.ts';
import { projectOrGroupParams } from '../schema.ts';

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

const settable = {
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

export const pushRule = { ...projectOrGroupParams, ...settable };

/** Requests without any rule attribute are rejected. */
export const someOfRule = atLeastOneOf(...Object.keys(settable));
