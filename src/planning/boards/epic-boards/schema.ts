import Type, { type Static } from 'typebox';
import { atLeastOneOf, nullable as orNull, param, required } from '../../../platform/http/params.ts';
import { entity, nullable } from '../../../platform/http/schema.ts';
import { LabelDetail } from '../../issues/public.ts';
import { oneBoard } from '../schema.ts';

export const EpicBoardList = entity('EpicBoardList', {
  id: Type.Integer(),
  label: nullable(LabelDetail),
  position: Type.Integer(),
  list_type: Type.String(),
});
export type EpicBoardListEntity = Static<typeof EpicBoardList>;

export const EpicBoard = entity('EpicBoard', {
  id: Type.Integer(),
  name: Type.String(),
  hide_backlog_list: Type.Boolean(),
  hide_closed_list: Type.Boolean(),
  group: nullable(Type.Object({ id: Type.Integer(), web_url: Type.String(), name: Type.String() })),
  labels: Type.Array(LabelDetail),
  lists: Type.Array(EpicBoardList),
});
export type EpicBoardEntity = Static<typeof EpicBoard>;

const change = {
  name: param.string(),
  hide_backlog_list: param.boolean(),
  hide_closed_list: param.boolean(),
  labels: orNull(param.commaList()),
};
export const boardChange = { ...oneBoard, ...change };
export const changeRules = [atLeastOneOf(...Object.keys(change))];
export const newList = { ...oneBoard, label_id: required(param.integer()) };
