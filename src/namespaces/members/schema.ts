import Type, { type Static } from 'typebox';
import { BasicUser } from '../../people/users/public.ts';
import { day, entity, nullable, timestamp } from '../../platform/http/schema.ts';

/** A member: `id` is the user's. */
export const Member = entity('Member', {
  ...BasicUser.properties,
  access_level: Type.Integer(),
  created_at: timestamp(),
  created_by: Type.Optional(BasicUser),
  expires_at: nullable(day()),
  email: Type.Optional(Type.String()),
  is_using_seat: Type.Optional(Type.Boolean()),
  membership_state: Type.String(),
});
export type MemberEntity = Static<typeof Member>;

/** How adding several people at once went. */
export const ManyAdded = entity('ManyMembersAdded', {
  status: Type.String(),
  message: Type.Optional(Type.String()),
});
/** One member, or how it went with several. */
export const Added = Type.Union([Member, ManyAdded]);

export const Invitation = entity('Invitation', {
  access_level: Type.Integer(),
  created_at: timestamp(),
  expires_at: nullable(day()),
  invite_email: Type.String(),
  invite_token: Type.String(),
  user_name: Type.Optional(Type.String()),
  created_by_name: nullable(Type.String()),
});
export type InvitationEntity = Static<typeof Invitation>;

export const Invited = entity('Invited', {
  status: Type.String(),
  message: Type.Optional(Type.Record(Type.String(), Type.String())),
});
export type InvitedEntity = Static<typeof Invited>;

export const AccessRequest = entity('AccessRequest', { ...BasicUser.properties, requested_at: timestamp() });
export type AccessRequestEntity = Static<typeof AccessRequest>;
