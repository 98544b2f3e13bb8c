import Type, { type Static } from 'typebox';
import { type ParamsOf, param, required } from '../../platform/http/params.ts';
import { entity, nullable } from '../../platform/http/schema.ts';

export const LdapGroupLink = entity('LdapGroupLink', {
  cn: nullable(Type.String()),
  group_access: Type.Integer(),
  provider: Type.String(),
  filter: nullable(Type.String()),
  member_role_id: nullable(Type.Integer()),
});
export type LdapGroupLinkEntity = Static<typeof LdapGroupLink>;

/** Access levels that a link can grant. */
export const linkLevels = [0, 5, 10, 15, 20, 30, 40, 50] as const;

export const owner = { id: required(param.string({ description: 'ID or URL-encoded path of the group' })) };
const target = {
  provider: required(param.string({ description: 'ID of the LDAP provider, such as ldapmain' })),
  cn: param.string({ description: 'CN of the LDAP group' }),
  filter: param.string({ description: 'LDAP filter that matches users' }),
};
export const newLink = {
  ...owner,
  ...target,
  group_access: required(param.integer({ description: 'Access level granted to the matching users' })),
  member_role_id: param.integer(),
};
export type NewLinkParams = ParamsOf<typeof newLink>;
export const oneLink = { ...owner, ...target };
export type OneLinkParams = ParamsOf<typeof oneLink>;
export const byCn = { ...owner, cn: required(param.string()) };
export const byProvider = { ...byCn, provider: required(param.string()) };
