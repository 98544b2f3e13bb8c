import Type, { type Static } from 'typebox';
import { resourceTokenScopes, tokenScopes } from '../../access/scopes.ts';
import * as read from '../../platform/http/param-readers.ts';
import { type Param, param, required } from '../../platform/http/params.ts';
import { day, entity, nullable, timestamp } from '../../platform/http/schema.ts';

const fields = {
  id: Type.Integer(),
  name: Type.String(),
  revoked: Type.Boolean(),
  created_at: timestamp(),
  description: nullable(Type.String()),
  scopes: Type.Array(Type.String()),
  user_id: Type.Integer(),
  last_used_at: nullable(timestamp()),
  active: Type.Boolean(),
  expires_at: nullable(day()),
};
const secret = { token: Type.String() };
const place = { access_level: Type.Integer(), resource_type: Type.String(), resource_id: Type.Integer() };

/** A token as everyone who may see it does: never the token itself. */
export const PersonalAccessToken = entity('PersonalAccessToken', fields);
export type TokenEntity = Static<typeof PersonalAccessToken>;
export const UsedToken = entity('PersonalAccessTokenWithLastUsedIps', {
  ...fields,
  last_used_ips: Type.Array(Type.String()),
});
/** The one answer that shows the token. */
export const NewToken = entity('PersonalAccessTokenWithToken', { ...fields, ...secret });
export const ImpersonationToken = entity('ImpersonationToken', { ...fields, impersonation: Type.Boolean() });
export const NewImpersonationToken = entity('ImpersonationTokenWithToken', {
  ...fields,
  ...secret,
  impersonation: Type.Boolean(),
});
export const ResourceToken = entity('ResourceAccessToken', { ...fields, ...place });
export const NewResourceToken = entity('ResourceAccessTokenWithToken', { ...fields, ...place, ...secret });

/** The filters of every list of tokens. */
export const filters = {
  revoked: param.boolean(),
  state: param.oneOf(['active', 'inactive']),
  created_before: param.dateTime(),
  created_after: param.dateTime(),
  last_used_before: param.dateTime(),
  last_used_after: param.dateTime(),
  expires_before: param.date(),
  expires_after: param.date(),
  search: param.string(),
  sort: param.oneOf([
    'created_asc',
    'created_desc',
    'expires_asc',
    'expires_desc',
    'last_used_asc',
    'last_used_desc',
    'name_asc',
    'name_desc',
  ]),
};

export const numbered = { id: required(param.integer()) };
export const ofUser = { user_id: required(param.integer()) };
export const rotation = { expires_at: param.date() };

export const creation = {
  name: required(param.string()),
  description: param.string(),
  expires_at: param.date(),
  scopes: required(param.oneOrMoreOf(tokenScopes)),
};
/** What people may give to tokens that they make for themselves with another token. */
export const ownCreation = { ...creation, scopes: required(param.oneOrMoreOf(['k8s_proxy', 'self_rotate'])) };
export const impersonation = { ...ofUser, ...creation, scopes: param.oneOrMoreOf(tokenScopes) };

export const resourceLevels = [10, 15, 20, 30, 40, 50];
// In tokens of projects and groups a comma does not part scopes.
const resourceScopes: Param<string[], 'required'> = {
  schema: { type: 'array', items: { type: 'string', enum: resourceTokenScopes } },
  read: read.list(read.oneOf<string>(resourceTokenScopes), false),
  presence: 'required',
};
export const owner = { id: required(param.string({ description: 'Number or URL-encoded path' })) };
export const ofOwner = { ...owner, token_id: required(param.string()) };
export const resourceCreation = {
  ...owner,
  name: required(param.string()),
  description: param.string(),
  expires_at: param.date(),
  scopes: resourceScopes,
  access_level: param.integerOf(resourceLevels),
};
