import Type, { type Static } from 'typebox';
import { nullable as orNull, type ParamsOf, param, required, withDefault } from '../../platform/http/params.ts';
import { entity, nullable } from '../../platform/http/schema.ts';
import { labelList } from './list.ts';

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

const owner = { id: required(param.string({ description: 'ID or URL-encoded path of the project or group' })) };
const ancestors = { include_ancestor_groups: withDefault(param.boolean(), true) };

export const named = { ...owner, name: required(param.string({ description: 'ID or title of the label' })) };
export const oneLabel = { ...named, ...ancestors };
/** For the deprecated paths that do not name the label. */
export const numberedOrNamed = { ...owner, label_id: param.integer(), name: param.string() };

export const projectLabelList = {
  ...owner,
  with_counts: withDefault(param.boolean(), false),
  ...ancestors,
  ...labelList.params,
};
export const groupLabelList = {
  ...projectLabelList,
  include_descendant_groups: withDefault(param.boolean(), false),
  only_group_labels: withDefault(param.boolean(), true),
};

export const newLabel = {
  ...owner,
  name: required(param.string()),
  color: required(param.string()),
  description: param.string(),
  archived: param.boolean(),
};
/** A project's priority for a label; null removes it. */
export const priority = { priority: orNull(param.int32()) };

const change = { new_name: param.string(), color: param.string(), description: param.string() };
const archived = { archived: param.boolean() };
export const groupLabelChange = { ...change, ...archived };
export const projectLabelChange = { ...change, ...priority, ...archived };

type OfProjectOrGroup<Project, Group> = ParamsOf<Project> & Partial<ParamsOf<Group>>;
export type LabelListParams = OfProjectOrGroup<typeof projectLabelList, typeof groupLabelList>;
export type NewLabelParams = ParamsOf<typeof newLabel> & ParamsOf<typeof priority>;
export type LabelChangeParams = ParamsOf<typeof projectLabelChange>;
