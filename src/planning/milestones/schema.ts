import Type, { type Static } from 'typebox';
import {
  atLeastOneOf,
  mutuallyExclusive,
  nullable as orNull,
  type ParamsOf,
  param,
  required,
  withDefault,
} from '../../platform/http/params.ts';
import { day, entity, nullable, timestamp } from '../../platform/http/schema.ts';
import { milestoneList } from './list.ts';

export const Milestone = entity('Milestone', {
  id: Type.Integer(),
  iid: Type.Integer(),
  project_id: Type.Optional(Type.Integer()),
  group_id: Type.Optional(Type.Integer()),
  title: Type.String(),
  description: nullable(Type.String()),
  state: Type.String(),
  created_at: timestamp(),
  updated_at: timestamp(),
  due_date: nullable(day()),
  start_date: nullable(day()),
  expired: Type.Boolean(),
  web_url: Type.String(),
});
export type MilestoneEntity = Static<typeof Milestone>;

export const place = { id: required(param.string({ description: 'ID or URL-encoded path of the project or group' })) };
export const oneMilestone = {
  ...place,
  milestone_id: required(param.integer({ description: 'Global ID of the milestone' })),
};

const { in: _, ...filters } = milestoneList.params;
export const projectListed = {
  ...place,
  ...filters,
  include_ancestors: withDefault(param.boolean(), false),
  include_parent_milestones: param.boolean(),
};
export const groupListed = { ...projectListed, include_descendants: withDefault(param.boolean(), false) };

const texts = {
  description: orNull(param.string()),
  due_date: orNull(param.date()),
  start_date: orNull(param.date()),
};
export const newMilestone = { ...place, title: required(param.string()), ...texts };
const change = { title: param.string(), ...texts, state_event: param.oneOf(['close', 'activate']) };
export const milestoneChange = { ...oneMilestone, ...change };
export const changeRules = [atLeastOneOf('title', 'description', 'start_date', 'due_date', 'state_event')];
/** `include_parent_milestones` is the deprecated name of `include_ancestors`. */
export const listRules = [mutuallyExclusive('include_ancestors', 'include_parent_milestones')];

export type MilestoneListParams = Omit<ParamsOf<typeof groupListed>, 'id' | 'include_descendants'> & {
  readonly include_descendants?: boolean;
};
export type NewMilestoneParams = Omit<ParamsOf<typeof newMilestone>, 'id'>;
export type MilestoneChangeParams = Omit<ParamsOf<typeof milestoneChange>, 'id' | 'milestone_id'>;
