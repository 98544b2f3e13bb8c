import Type, { type Static } from 'typebox';
import { param, required } from '../../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../../platform/http/schema.ts';
import { deployTokenList } from './list.ts';

/** Scopes of deploy tokens. */
export const deployTokenScopes = [
  'read_repository',
  'read_registry',
  'write_registry',
  'read_virtual_registry',
  'write_virtual_registry',
  'read_package_registry',
  'write_package_registry',
] as const;

const tokenFields = {
  id: Type.Integer(),
  name: Type.String(),
  username: Type.String(),
  expires_at: nullable(timestamp()),
  scopes: Type.Array(Type.String()),
  revoked: Type.Boolean(),
  expired: Type.Boolean(),
};
export const DeployToken = entity('DeployToken', tokenFields);
export const DeployTokenWithToken = entity('DeployTokenWithToken', { ...tokenFields, token: Type.String() });
export type DeployTokenEntity = Static<typeof DeployToken>;

export const owner = { id: required(param.string({ description: 'ID or URL-encoded path' })) };
export const tokenFilter = deployTokenList.params;
export const tokenOf = { ...owner, token_id: required(param.integer()) };
export const tokenCreation = {
  ...owner,
  name: required(param.string()),
  scopes: required(param.oneOrMoreOf(deployTokenScopes)),
  expires_at: param.dateTime(),
  username: param.string(),
};
