import Type, { type Static } from 'typebox';
import { type ParamsOf, param, required, withDefault } from '../../../platform/http/params.ts';
import { day, entity, nullable, timestamp } from '../../../platform/http/schema.ts';
import { place } from '../schema.ts';

export const IterationCadence = entity('IterationCadence', {
  id: Type.Integer(),
  group_id: Type.Integer(),
  title: Type.String(),
  description: nullable(Type.String()),
  start_date: day(),
  duration_in_weeks: Type.Integer(),
  iterations_in_advance: Type.Integer(),
  automatic: Type.Boolean(),
  created_at: timestamp(),
  updated_at: timestamp(),
});
export type IterationCadenceEntity = Static<typeof IterationCadence>;

export { place };
export const oneCadence = { ...place, cadence_id: required(param.integer()) };
export const newCadence = {
  ...place,
  title: required(param.string()),
  description: param.string(),
  start_date: required(param.date()),
  duration_in_weeks: required(param.int32()),
  iterations_in_advance: withDefault(param.int32(), 2),
  automatic: withDefault(param.boolean(), true),
};
export type NewCadenceParams = Omit<ParamsOf<typeof newCadence>, 'id'>;
