import Type, { type Static } from 'typebox';
import { type ParamsOf, param, required, withDefault } from '../../platform/http/params.ts';
import { day, entity, nullable, timestamp } from '../../platform/http/schema.ts';
import { iterationList } from './list.ts';

export const Iteration = entity('Iteration', {
  id: Type.Integer(),
  iid: Type.Integer(),
  sequence: Type.Integer(),
  group_id: Type.Integer(),
  title: nullable(Type.String()),
  description: nullable(Type.String()),
  state: Type.Integer(),
  created_at: timestamp(),
  updated_at: timestamp(),
  start_date: nullable(day()),
  due_date: nullable(day()),
  web_url: Type.String(),
});
export type IterationEntity = Static<typeof Iteration>;

export const place = { id: required(param.string({ description: 'ID or URL-encoded path of the project or group' })) };
export const listed = {
  ...place,
  ...iterationList.params,
  in: param.oneOrMoreOf(['title', 'cadence_title']),
  include_ancestors: withDefault(param.boolean(), true),
  include_descendants: withDefault(param.boolean(), false),
};
export type IterationListParams = Omit<ParamsOf<typeof listed>, 'id'>;
