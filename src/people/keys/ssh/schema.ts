import Type, { type Static } from 'typebox';
import { param, required, withDefault } from '../../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../../platform/http/schema.ts';

export const SshKey = entity('SSHKey', {
  id: Type.Integer(),
  title: Type.String(),
  created_at: timestamp(),
  expires_at: nullable(timestamp()),
  last_used_at: nullable(timestamp()),
  key: Type.String(),
  usage_type: Type.String(),
});
export type SshKeyEntity = Static<typeof SshKey>;

const numbered = { id: required(param.integer()) };
export const named = { user_id: required(param.string()) };
export const one = { key_id: required(param.integer()) };
export const oneOf = { ...numbered, ...one };
export const creation = {
  title: required(param.string()),
  key: required(param.string()),
  expires_at: param.dateTime(),
  usage_type: withDefault(param.oneOf(['auth_and_signing', 'auth', 'signing']), 'auth_and_signing'),
};
export const creationFor = { ...numbered, ...creation };
