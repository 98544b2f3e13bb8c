import Type, { type Static } from 'typebox';
import { param, required } from '../../platform/http/params.ts';
import { entity } from '../../platform/http/schema.ts';

/** A key-value pair that administrators attach to a user, group or project. */
export const CustomAttribute = entity('CustomAttribute', { key: Type.String(), value: Type.String() });
export type CustomAttributeEntity = Static<typeof CustomAttribute>;

/** Parameters of lists; effective for administrators only, ignored for others. */
export const attributeParams = {
  with_custom_attributes: param.boolean(),
  custom_attributes: param.map({ description: 'custom_attributes[key]=value; all must match' }),
};

export const owner = { id: required(param.string()) };
export const keyed = { ...owner, key: required(param.string()) };
export const change = { ...keyed, value: required(param.string()) };
