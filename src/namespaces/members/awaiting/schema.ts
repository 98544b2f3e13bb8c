import Type, { type Static } from 'typebox';
import { param, required } from '../../../platform/http/params.ts';
import { entity, nullable } from '../../../platform/http/schema.ts';
import { oneMember, owner } from '../schema.ts';

/** A member awaiting approval, or an invited e-mail address. */
export const PendingMember = entity('PendingMember', {
  id: Type.Integer(),
  name: Type.Optional(Type.String()),
  username: Type.Optional(Type.String()),
  email: Type.Optional(Type.String()),
  web_url: Type.Optional(Type.String()),
  avatar_url: nullable(Type.String()),
  approved: Type.Boolean(),
  invited: Type.Boolean(),
});
export type PendingMemberEntity = Static<typeof PendingMember>;

export const Success = entity('MembershipStateChanged', { success: Type.Boolean() });

export const stateChange = { ...oneMember, state: required(param.oneOf(['awaiting', 'active'])) };
export const approval = { ...owner, member_id: required(param.integer()) };
