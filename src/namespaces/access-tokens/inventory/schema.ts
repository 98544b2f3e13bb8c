import Type from 'typebox';
import { rotation as rotationTo } from '../../../people/tokens/public.ts';
import { type ParamsOf, param, required } from '../../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../../platform/http/schema.ts';
import { owner } from '../schema.ts';
import { accountKeys } from './list.ts';

/** An SSH key as listed in the credentials inventory: its owner, without the key material. */
export const KeyOfAccount = entity('SSHKeyWithUserId', {
  id: Type.Integer(),
  title: Type.String(),
  created_at: timestamp(),
  expires_at: nullable(timestamp()),
  last_used_at: nullable(timestamp()),
  usage_type: Type.String(),
  user_id: Type.Integer(),
});

const { key: _, ...keyFilters } = accountKeys.params;
export const keyList = { ...owner, ...keyFilters };
export type KeyListParams = ParamsOf<typeof keyList>;
export const oneKey = { ...owner, key_id: required(param.integer()) };
export const onePersonal = { ...owner, pat_id: required(param.integer()) };
export const personalRotation = { ...onePersonal, ...rotationTo };
export const oneResource = { ...owner, prat_id: required(param.integer()) };
export const resourceRotation = { ...oneResource, ...rotationTo };
