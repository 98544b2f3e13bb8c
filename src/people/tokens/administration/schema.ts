import Type, { type Static } from 'typebox';
import { param, required } from '../../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../../platform/http/schema.ts';

/** A token identified by its secret; each kind fills the fields it has. */
export const IdentifiedToken = entity('IdentifiedToken', {
  id: Type.Integer(),
  name: Type.Optional(Type.String()),
  username: Type.Optional(Type.String()),
  description: Type.Optional(nullable(Type.String())),
  user_id: Type.Optional(nullable(Type.Integer())),
  project_id: Type.Optional(nullable(Type.Integer())),
  group_id: Type.Optional(nullable(Type.Integer())),
  scopes: Type.Optional(Type.Array(Type.String())),
  impersonation: Type.Optional(Type.Boolean()),
  revoked: Type.Optional(Type.Boolean()),
  active: Type.Optional(Type.Boolean()),
  /** A date or a timestamp, depending on the kind of token. */
  expires_at: nullable(Type.String()),
  created_at: timestamp(),
  last_used_at: nullable(timestamp()),
});
export type IdentifiedTokenEntity = Static<typeof IdentifiedToken>;

export const identifiedToken = { token: required(param.string({ description: 'The token' })) };
