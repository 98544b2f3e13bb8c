import Type, { type Static } from 'typebox';
import { projectRoles } from '../../../access/roles.ts';
import { attributeParams } from '../../../people/custom-attributes/public.ts';
import { type ParamsOf, param, required, withDefault } from '../../../platform/http/params.ts';
import { day, entity, nullable } from '../../../platform/http/schema.ts';
import { projectParam } from '../schema.ts';

export const GroupLink = entity('ProjectGroupLink', {
  id: Type.Integer(),
  project_id: Type.Integer(),
  group_id: Type.Integer(),
  group_access: Type.Integer(),
  expires_at: nullable(day()),
  member_role_id: Type.Optional(Type.Integer()),
});
export type GroupLinkEntity = Static<typeof GroupLink>;

export const shareParams = {
  ...projectParam,
  group_id: required(param.integer()),
  group_access: required(param.integerOf(projectRoles)),
  expires_at: param.date(),
  member_role_id: param.integer(),
};
export type ShareParams = ParamsOf<typeof shareParams>;

export const invitedParams = {
  ...projectParam,
  relation: param.oneOrMoreOf(['direct', 'inherited']),
  search: param.string(),
  min_access_level: param.integerOf(projectRoles),
  ...attributeParams,
};
export type InvitedParams = ParamsOf<typeof invitedParams>;

export const projectGroupsParams = {
  ...projectParam,
  search: param.string(),
  skip_groups: param.integers(),
  with_shared: withDefault(param.boolean(), false),
  shared_visible_only: withDefault(param.boolean(), false),
  shared_min_access_level: param.integerOf(projectRoles),
};
export type ProjectGroupsParams = ParamsOf<typeof projectGroupsParams>;
