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

/** The roles that a link can give. */
export const linkLevels = [0, 5, 10, 15, 20, 30, 40, 50] as const;

export const owner = { id: required(param.string({ description: 'Number or URL-encoded path of the group' })) };
const target = {
  provider: required(param.string({ description: 'What the directory is called, such as ldapmain' })),
  cn: param.string({ description: 'Name of a group in the directory' }),
  filter: param.string({ description: 'Filter that people in the directory match' }),
};
export const newLink = {
  ...owner,
  ...target,
  group_access: required(param.integer({ description: 'The role that it gives' })),
  member_role_id: param.integer(),
};
export type NewLinkParams = ParamsOf<typeof newLink>;
export const oneLink = { ...owner, ...target };
export type OneLinkParams = ParamsOf<typeof oneLink>;
export const byCn = { ...owner, cn: required(param.string()) };
export const byProvider = { ...byCn, provider: required(param.string()) };
