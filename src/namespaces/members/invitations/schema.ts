import Type, { type Static } from 'typebox';
import { groupRoles } from '../../../access/roles.ts';
import { nullable as orNull, type ParamsOf, param, type Rule, required } from '../../../platform/http/params.ts';
import { day, entity, nullable, timestamp } from '../../../platform/http/schema.ts';
import { memberRole, owner } from '../schema.ts';

export const Invitation = entity('Invitation', {
  access_level: Type.Integer(),
  created_at: timestamp(),
  expires_at: nullable(day()),
  invite_email: Type.String(),
  invite_token: Type.String(),
  user_name: Type.Optional(Type.String()),
  created_by_name: nullable(Type.String()),
  member_role_id: Type.Optional(Type.Integer()),
});
export type InvitationEntity = Static<typeof Invitation>;

/** Result of inviting: the error for each address or user that could not be invited. */
export const Invited = entity('Invited', {
  status: Type.String(),
  message: Type.Optional(Type.Record(Type.String(), Type.String())),
});
export type InvitedEntity = Static<typeof Invited>;

const level = () => param.integerOf(groupRoles);
export const invitationList = { ...owner, query: param.string() };
export const newInvitations = {
  ...owner,
  access_level: required(level()),
  email: param.commaList(),
  user_id: param.commaList(),
  expires_at: orNull(param.date()),
  invite_source: param.string(),
  ...memberRole,
};
export type NewInvitationsParams = ParamsOf<typeof newInvitations>;

/** A single invalid address rejects the whole request. */
export const validAddresses: Rule = ({ email }) => {
  const addresses = [email].flat().flatMap((text) => (typeof text === 'string' ? text.split(',') : []));
  const sound = email === '' || addresses.every((text) => text.length <= 255 && /^[^\s@]+@[^\s@]+$/.test(text.trim()));
  return sound ? undefined : 'email contains an invalid email address';
};

export const oneInvitation = { ...owner, email: required(param.string()) };
export const invitationChange = {
  ...oneInvitation,
  access_level: level(),
  expires_at: orNull(param.date()),
  ...memberRole,
};
