import Type, { type Static } from 'typebox';
import { entity, nullable } from '../../platform/http/schema.ts';
import { CustomAttribute } from '../custom-attributes/schema.ts';

export const basicFields = {
  id: Type.Integer(),
  username: Type.String(),
  public_email: nullable(Type.String()),
  name: Type.String(),
  state: Type.String(),
  locked: Type.Boolean(),
  avatar_url: nullable(Type.String()),
  custom_attributes: Type.Optional(Type.Array(CustomAttribute)),
  web_url: Type.String(),
};

/** A user as every author, assignee, owner and member is shown. */
export const BasicUser = entity('BasicUser', basicFields);
export type BasicUserEntity = Static<typeof BasicUser>;
