import Type, { type Static } from 'typebox';
import { BasicProject } from '../../namespaces/projects/public.ts';
import { BasicUser } from '../../people/users/public.ts';
import { exactlyOneOf, nullable as orNull, type ParamsOf, param, required } from '../../platform/http/params.ts';
import { entity, nullable } from '../../platform/http/schema.ts';
import { LabelDetail } from '../issues/public.ts';
import { Iteration } from '../iterations/public.ts';
import { Milestone } from '../milestones/public.ts';

export const BoardList = entity('BoardList', {
  id: Type.Integer(),
  label: nullable(LabelDetail),
  position: Type.Integer(),
  milestone: Type.Optional(Milestone),
  iteration: Type.Optional(Iteration),
  assignee: Type.Optional(BasicUser),
  max_issue_count: Type.Integer(),
  max_issue_weight: Type.Integer(),
  limit_metric: nullable(Type.String()),
});
export type BoardListEntity = Static<typeof BoardList>;

export const Board = entity('Board', {
  id: Type.Integer(),
  name: Type.String(),
  hide_backlog_list: Type.Boolean(),
  hide_closed_list: Type.Boolean(),
  project: nullable(BasicProject),
  lists: Type.Array(BoardList),
  group: nullable(Type.Object({ id: Type.Integer(), web_url: Type.String(), name: Type.String() })),
  milestone: nullable(Milestone),
  assignee: nullable(BasicUser),
  labels: Type.Array(LabelDetail),
  weight: nullable(Type.Integer()),
});
export type BoardEntity = Static<typeof Board>;

export const place = { id: required(param.string({ description: 'ID or URL-encoded path of the project or group' })) };
export const oneBoard = { ...place, board_id: required(param.integer()) };
export const oneList = { ...oneBoard, list_id: required(param.integer()) };

export const newBoard = { ...place, name: required(param.string()) };
const change = {
  name: param.string(),
  hide_backlog_list: param.boolean(),
  hide_closed_list: param.boolean(),
  assignee_id: orNull(param.integer()),
  milestone_id: orNull(param.integer()),
  labels: orNull(param.commaList()),
  weight: orNull(param.int32()),
};
export const boardChange = { ...oneBoard, ...change };

const about = {
  label_id: param.integer(),
  milestone_id: param.integer(),
  iteration_id: param.integer(),
  assignee_id: param.integer(),
};
export const newList = { ...oneBoard, ...about };
export const newListRules = [exactlyOneOf(...Object.keys(about))];
export const listChange = { ...oneList, position: required(param.int32()) };

export type BoardChangeParams = Omit<ParamsOf<typeof boardChange>, 'id' | 'board_id'>;
export type NewListParams = ParamsOf<typeof about>;
