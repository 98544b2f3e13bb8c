import Type, { type Static } from 'typebox';
import { BasicUser } from '../../people/users/public.ts';
import {
  atLeastOneOf,
  nullable as orNull,
  type ParamsOf,
  param,
  required,
  withDefault,
} from '../../platform/http/params.ts';
import { day, entity, nullable, timestamp } from '../../platform/http/schema.ts';
import { LabelDetail } from '../issues/public.ts';
import { epicList } from './list.ts';

export const Epic = entity('Epic', {
  id: Type.Integer(),
  work_item_id: Type.Integer(),
  iid: Type.Integer(),
  color: Type.String(),
  text_color: Type.String(),
  group_id: Type.Integer(),
  parent_id: nullable(Type.Integer()),
  parent_iid: nullable(Type.Integer()),
  imported: Type.Boolean(),
  imported_from: Type.String(),
  title: Type.String(),
  description: nullable(Type.String()),
  confidential: Type.Boolean(),
  author: BasicUser,
  start_date: nullable(day()),
  start_date_is_fixed: Type.Boolean(),
  start_date_fixed: nullable(day()),
  start_date_from_inherited_source: nullable(day()),
  start_date_from_milestones: nullable(day()),
  end_date: nullable(day()),
  due_date: nullable(day()),
  due_date_is_fixed: Type.Boolean(),
  due_date_fixed: nullable(day()),
  due_date_from_inherited_source: nullable(day()),
  due_date_from_milestones: nullable(day()),
  state: Type.String(),
  web_edit_url: Type.String(),
  web_url: Type.String(),
  references: Type.Object({ short: Type.String(), relative: Type.String(), full: Type.String() }),
  reference: Type.String(),
  created_at: timestamp(),
  updated_at: timestamp(),
  closed_at: nullable(timestamp()),
  labels: Type.Array(Type.Union([Type.String(), LabelDetail])),
  upvotes: Type.Integer(),
  downvotes: Type.Integer(),
  subscribed: Type.Optional(Type.Boolean()),
  _links: Type.Object({
    self: Type.String(),
    epic_issues: Type.String(),
    group: Type.String(),
    parent: nullable(Type.String()),
  }),
});
export type EpicEntity = Static<typeof Epic>;

export const group = { id: required(param.string({ description: 'ID or URL-encoded path of the group' })) };
export const oneEpic = { ...group, epic_iid: required(param.integer({ description: 'IID of the epic' })) };
/** Notes, threads and resource events identify an epic by its global ID. */
export const epicById = {
  ...group,
  epic_id: required(param.integer({ description: 'Global ID of the epic, not its IID' })),
};

const { in: _, ...filters } = epicList.params;
export const listed = {
  ...group,
  ...filters,
  order_by: withDefault(param.oneOf(['created_at', 'updated_at', 'title']), 'created_at'),
  sort: withDefault(param.oneOf(['asc', 'desc']), 'desc'),
  include_ancestor_groups: withDefault(param.boolean(), false),
  include_descendant_groups: withDefault(param.boolean(), true),
  with_labels_details: withDefault(param.boolean(), false),
};

const dates = {
  start_date: orNull(param.date()),
  start_date_fixed: orNull(param.date()),
  start_date_is_fixed: param.boolean(),
  end_date: orNull(param.date()),
  due_date_fixed: orNull(param.date()),
  due_date_is_fixed: param.boolean(),
};
const texts = {
  description: orNull(param.string()),
  color: param.string(),
  confidential: param.boolean(),
  labels: orNull(param.commaList()),
  parent_id: orNull(param.integer()),
};

export const newEpic = {
  ...group,
  title: required(param.string()),
  created_at: param.dateTime(),
  ...texts,
  ...dates,
};
const change = {
  title: param.string(),
  ...texts,
  ...dates,
  add_labels: param.commaList(),
  remove_labels: param.commaList(),
  state_event: param.oneOf(['reopen', 'close']),
};
export const epicChange = { ...oneEpic, ...change, updated_at: param.dateTime() };
export const changeRules = [atLeastOneOf(...Object.keys(change))];

export type EpicListParams = Omit<ParamsOf<typeof listed>, 'id'>;
export type NewEpicParams = Omit<ParamsOf<typeof newEpic>, 'id'>;
export type EpicChangeParams = Omit<ParamsOf<typeof epicChange>, 'id' | 'epic_iid'>;
