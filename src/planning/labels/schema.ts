import Type, { type Static } from 'typebox';
import { nullable as orNull, param, required, withDefault } from '../../platform/http/params.ts';
import { entity, nullable } from '../../platform/http/schema.ts';

const fields = {
  id: Type.Integer(),
  name: Type.String(),
  description: nullable(Type.String()),
  description_html: Type.String(),
  text_color: Type.String(),
  color: Type.String(),
  archived: Type.Boolean(),
  open_issues_count: Type.Optional(Type.Integer()),
  closed_issues_count: Type.Optional(Type.Integer()),
  open_merge_requests_count: Type.Optional(Type.Integer()),
  subscribed: Type.Boolean(),
};

export const GroupLabel = entity('GroupLabel', fields);
export const ProjectLabel = entity('ProjectLabel', {
  ...fields,
  priority: nullable(Type.Integer()),
  is_project_label: Type.Boolean(),
});
export type GroupLabelEntity = Static<typeof GroupLabel>;
export type ProjectLabelEntity = Static<typeof ProjectLabel>;

export const owner = { id: required(param.string({ description: 'Number or URL-encoded path' })) };
export const named = { ...owner, name: required(param.string({ description: 'Number or title of the label' })) };

const listing = {
  ...owner,
  with_counts: withDefault(param.boolean(), false),
  include_ancestor_groups: withDefault(param.boolean(), true),
  search: param.string(),
  archived: param.boolean(),
};
export const projectList = listing;
export const groupList = {
  ...listing,
  include_descendant_groups: withDefault(param.boolean(), false),
  only_group_labels: withDefault(param.boolean(), true),
};

export const creation = {
  ...owner,
  name: required(param.string()),
  color: required(param.string()),
  description: param.string(),
  archived: param.boolean(),
};
export const change = { new_name: param.string(), color: param.string(), description: param.string() };
export const archived = { archived: param.boolean() };
/** A project ranks labels; null takes the rank away. */
export const priority = { priority: orNull(param.integer()) };
