import Type from 'typebox';
import { param, required, withDefault } from '../../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../../platform/http/schema.ts';
import { numbered } from '../schema.ts';

export const Email = entity('Email', {
  id: Type.Integer(),
  email: Type.String(),
  confirmed_at: nullable(timestamp()),
});

export const own = { email_id: required(param.integer()) };
export const ofUser = { ...numbered, ...own };
export const creation = { email: required(param.string()) };
export const creationForUser = {
  ...numbered,
  ...creation,
  skip_confirmation: withDefault(param.boolean(), false),
};
