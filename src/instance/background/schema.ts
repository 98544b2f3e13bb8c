import Type from 'typebox';
import { param, required } from '../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../platform/http/schema.ts';

/** A job that failed permanently, with its payload and error. */
export const DeadJob = entity('DeadJob', {
  id: Type.Integer(),
  kind: Type.String(),
  payload: Type.Any(),
  attempts: Type.Integer(),
  error: nullable(Type.String()),
  created_at: timestamp(),
  failed_at: nullable(timestamp()),
});

export const listing = {
  kind: param.string(),
  before: param.integer({ description: 'Only jobs with an ID smaller than this' }),
};
export const one = { id: required(param.integer()) };
