import Type from 'typebox';
import { resourceTokenScopes } from '../../access/credentials/scopes.ts';
import { rotation as rotationTo, tokenFields, tokenListParams, tokenText } from '../../people/tokens/public.ts';
import * as read from '../../platform/http/parameters/param-readers.ts';
import { type Param, param, required } from '../../platform/http/params.ts';
import { entity } from '../../platform/http/schema.ts';

const belonging = { access_level: Type.Integer(), resource_type: Type.String(), resource_id: Type.Integer() };

/** A project or group access token. */
export const ResourceToken = entity('ResourceAccessToken', { ...tokenFields, ...belonging });
/** Returned on creation and rotation only: the token with its secret. */
export const NewResourceToken = entity('ResourceAccessTokenWithToken', { ...tokenFields, ...belonging, ...tokenText });

const accessLevels = [10, 15, 20, 30, 40, 50];
// Unlike for personal access tokens, scopes here are not split at commas.
const scopes: Param<string[], 'required'> = {
  schema: { type: 'array', items: { type: 'string', enum: resourceTokenScopes } },
  read: read.list(read.oneOf<string>(resourceTokenScopes), false),
  presence: 'required',
};

export const owner = { id: required(param.string({ description: 'ID or URL-encoded path' })) };
export const one = { ...owner, token_id: required(param.string()) };
export const list = { ...owner, ...tokenListParams };
export const ownRotation = { ...owner, ...rotationTo };
export const rotation = { ...one, ...rotationTo };
export const creation = {
  ...owner,
  name: required(param.string()),
  description: param.string(),
  expires_at: param.date(),
  scopes,
  access_level: param.integerOf(accessLevels),
};
