import Type, { type Static } from 'typebox';
import { atLeastOneOf, param, required } from '../../../platform/http/params.ts';
import { entity } from '../../../platform/http/schema.ts';
import { releaseTagParams } from '../params.ts';
import { linkTypes } from '../tables.ts';

export const ReleaseLink = entity('ReleaseLink', {
  id: Type.Integer(),
  name: Type.String(),
  url: Type.String(),
  direct_asset_url: Type.String(),
  link_type: Type.String(),
});
export type ReleaseLinkEntity = Static<typeof ReleaseLink>;

export const linkFields = {
  direct_asset_path: param.string(),
  filepath: param.string({ description: 'Deprecated: use direct_asset_path' }),
  link_type: param.oneOf(linkTypes),
};
export const linkCreation = {
  ...releaseTagParams,
  name: required(param.string()),
  url: required(param.string()),
  ...linkFields,
};
export const linkNamed = { ...releaseTagParams, link_id: required(param.integer()) };
export const linkUpdate = { ...linkNamed, name: param.string(), url: param.string(), ...linkFields };
export const oneOfTheLink = atLeastOneOf('name', 'url', 'direct_asset_path', 'filepath', 'link_type');
