import Type, { type Static } from 'typebox';
import { type ParamsOf, param, required } from '../../platform/http/params.ts';
import { entity, nullable } from '../../platform/http/schema.ts';

export const SamlGroupLink = entity('SamlGroupLink', {
  name: Type.String(),
  access_level: Type.Integer(),
  member_role_id: nullable(Type.Integer()),
  provider: nullable(Type.String()),
});
export type SamlGroupLinkEntity = Static<typeof SamlGroupLink>;

export const owner = { id: required(param.string({ description: 'ID or URL-encoded path of the group' })) };
const provider = param.string({ description: 'Name of the provider that the link is limited to' });
export const newLink = {
  ...owner,
  saml_group_name: required(param.string({ description: 'Name of the SAML group' })),
  access_level: required(param.integer({ description: 'Access level of its users' })),
  member_role_id: param.integer({ description: 'ID of a custom role based on the access level' }),
  provider,
};
export type NewLinkParams = ParamsOf<typeof newLink>;
export const oneLink = { ...owner, saml_group_name: required(param.string()), provider };
export type OneLinkParams = ParamsOf<typeof oneLink>;
