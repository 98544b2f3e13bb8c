import Type, { type Static } from 'typebox';
import { byPermission, customPermissions } from '../../access/custom-permissions.ts';
import { projectRoles } from '../../access/roles.ts';
import { type ParamsOf, param, required, withDefault } from '../../platform/http/params.ts';
import { entity, nullable } from '../../platform/http/schema.ts';

export const MemberRole = entity('MemberRole', {
  id: Type.Integer(),
  group_id: nullable(Type.Integer()),
  name: Type.String(),
  description: nullable(Type.String()),
  base_access_level: Type.Integer(),
  ...byPermission(() => Type.Boolean()),
});
export type MemberRoleEntity = Static<typeof MemberRole>;

const fields = {
  base_access_level: required(param.integerOf(projectRoles)),
  name: param.string({ description: 'Name of the role; by default that of the base role and `- custom`' }),
  description: param.string(),
  ...byPermission((name) => withDefault(param.boolean({ description: customPermissions[name].description }), false)),
};
const inGroup = { id: required(param.string({ description: 'ID or URL-encoded path of the group' })) };
const one = { member_role_id: required(param.integer()) };

export const rolesOfProject = { id: required(param.string({ description: 'ID or URL-encoded path of the project' })) };
export const newRole = fields;
export const oneRole = one;
export const rolesOfGroup = inGroup;
export const newRoleOfGroup = { ...inGroup, ...fields };
export const oneRoleOfGroup = { ...inGroup, ...one };
export type NewRoleParams = ParamsOf<typeof newRole>;
