import Type, { type Static } from 'typebox';
import { BasicUser } from '../../people/users/public.ts';
import { type ParamsOf, param, required } from '../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../platform/http/schema.ts';

export const Trigger = entity('PipelineTrigger', {
  id: Type.Integer(),
  token: Type.String(),
  description: nullable(Type.String()),
  created_at: timestamp(),
  updated_at: timestamp(),
  last_used: nullable(timestamp()),
  expires_at: nullable(timestamp()),
  owner: nullable(BasicUser),
});
export type TriggerEntity = Static<typeof Trigger>;

export const project = { id: required(param.string({ description: 'ID or URL-encoded path of the project' })) };
export const oneTrigger = { ...project, trigger_id: required(param.integer()) };
export const newTrigger = {
  ...project,
  description: required(param.string()),
  expires_at: param.dateTime({ description: 'Expiry time of the token; never expires by default' }),
};
export const triggerChange = { ...oneTrigger, description: param.string() };

export const start = {
  ...project,
  ref: required(param.string({ description: 'Branch or tag' })),
  token: required(param.string({ description: 'Trigger token or token of a running job' })),
  variables: param.any({ description: 'Pipeline variables, as a hash of strings' }),
  inputs: param.any({ description: 'Pipeline inputs, as a hash' }),
};
export type StartParams = ParamsOf<typeof start>;
