import Type, { type Static } from 'typebox';
import { BasicUser } from '../../people/users/public.ts';
import { nullable as orNull, type ParamsOf, param, required, withDefault } from '../../platform/http/params.ts';
import { day, entity, nullable, timestamp } from '../../platform/http/schema.ts';
import { MemberRole } from '../member-roles/public.ts';
import { allMembers, directMembers } from './list.ts';

/** A member; `id` is the id of the user. */
export const Member = entity('Member', {
  ...BasicUser.properties,
  access_level: Type.Integer(),
  created_at: timestamp(),
  created_by: Type.Optional(BasicUser),
  expires_at: nullable(day()),
  email: Type.Optional(Type.String()),
  is_using_seat: Type.Optional(Type.Boolean()),
  override: Type.Optional(Type.Boolean()),
  membership_state: Type.String(),
  member_role: Type.Optional(MemberRole),
});
export type MemberEntity = Static<typeof Member>;

/** Result of adding several members. */
const ManyAdded = entity('ManyMembersAdded', {
  status: Type.String(),
  message: Type.Optional(Type.String()),
});
/** A member, or the result of adding several. */
export const AddMembersResult = Type.Union([Member, ManyAdded]);
export type AddMembersResultEntity = Static<typeof AddMembersResult>;

export const owner = { id: required(param.string({ description: 'ID or URL-encoded path' })) };
export const oneMember = { ...owner, user_id: required(param.integer()) };

const show_seat_info = withDefault(param.boolean(), false);
export const memberList = { ...owner, ...directMembers.params, show_seat_info };
export const allMemberList = {
  ...owner,
  ...allMembers.params,
  state: param.oneOf(['awaiting', 'active']),
  show_seat_info,
};
export type MemberListParams = ParamsOf<typeof memberList>;
export type AllMemberListParams = ParamsOf<typeof allMemberList>;

export const memberRole = {
  member_role_id: orNull(param.integer({ description: 'ID of a custom role based on the access level' })),
};
export const newMembers = {
  ...owner,
  access_level: required(param.integer()),
  user_id: param.string({ description: 'User ID, or several separated by commas' }),
  username: param.string({ description: 'Username, or several separated by commas' }),
  expires_at: orNull(param.date()),
  invite_source: param.string(),
  ...memberRole,
};
export type NewMembersParams = ParamsOf<typeof newMembers>;
export const memberChange = {
  ...oneMember,
  access_level: required(param.integer()),
  expires_at: orNull(param.date()),
  ...memberRole,
};
export const memberRemoval = {
  ...oneMember,
  skip_subresources: withDefault(param.boolean(), false),
  unassign_issuables: withDefault(param.boolean(), false),
};
