import Type, { type Static } from 'typebox';
import { BasicUser } from '../../../people/users/public.ts';
import { type ParamsOf, param } from '../../../platform/http/params.ts';
import { day, entity, nullable, timestamp } from '../../../platform/http/schema.ts';
import { owner } from '../schema.ts';
import { billableMembers, sortWords } from './list.ts';

/** A billable member of a top-level group; `id` is the id of the user. */
export const BillableMember = entity('BillableMember', {
  ...BasicUser.properties,
  email: Type.Optional(Type.String()),
  last_activity_on: nullable(day()),
  membership_type: Type.String(),
  removable: Type.Boolean(),
  created_at: timestamp(),
  last_login_at: nullable(timestamp()),
  is_last_owner: Type.Boolean(),
});
export type BillableMemberEntity = Static<typeof BillableMember>;

export const BillableMembership = entity('BillableMembership', {
  id: Type.Integer(),
  source_id: Type.Integer(),
  source_full_name: Type.String(),
  source_members_url: Type.String(),
  created_at: timestamp(),
  expires_at: nullable(day()),
  access_level: Type.Object({ string_value: Type.String(), integer_value: Type.Integer() }),
});
export type BillableMembershipEntity = Static<typeof BillableMembership>;

export const billableList = { ...owner, ...billableMembers.params, sort: param.oneOf(sortWords) };
export type BillableListParams = ParamsOf<typeof billableList>;
