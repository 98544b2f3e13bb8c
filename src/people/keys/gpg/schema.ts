import Type from 'typebox';
import { param, required } from '../../../platform/http/params.ts';
import { entity, timestamp } from '../../../platform/http/schema.ts';

export const GpgKey = entity('GPGKey', { id: Type.Integer(), key: Type.String(), created_at: timestamp() });

export const ofUser = { id: required(param.integer()) };
export const one = { key_id: required(param.integer()) };
export const oneOf = { ...ofUser, ...one };
export const creation = { key: required(param.string()) };
export const creationFor = { ...ofUser, ...creation };
