import Type, { type Static } from 'typebox';
import { tokenScopes } from '../../access/credentials/scopes.ts';
import { param, required } from '../../platform/http/params.ts';
import { day, entity, nullable, timestamp } from '../../platform/http/schema.ts';

/** Fields common to all kinds of tokens. */
export const tokenFields = {
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
/** The token itself, included in one response only. */
export const tokenText = { token: Type.String() };

/** A token without its secret. */
export const PersonalAccessToken = entity('PersonalAccessToken', tokenFields);
export type TokenEntity = Static<typeof PersonalAccessToken>;
export const UsedToken = entity('PersonalAccessTokenWithLastUsedIps', {
  ...tokenFields,
  last_used_ips: Type.Array(Type.String()),
});
export const NewToken = entity('PersonalAccessTokenWithToken', { ...tokenFields, ...tokenText });

export const numbered = { id: required(param.integer()) };
export const ofUser = { user_id: required(param.integer()) };
export const rotation = { expires_at: param.date() };

export const creation = {
  name: required(param.string()),
  description: param.string(),
  expires_at: param.date(),
  scopes: required(param.oneOrMoreOf(tokenScopes)),
};
/** Scopes available when a user creates a token by using another token; in the browser all scopes are. */
export const narrowScopes: ReadonlySet<string> = new Set(['k8s_proxy', 'self_rotate']);
