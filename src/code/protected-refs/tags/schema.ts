import Type, { type Static } from 'typebox';
import { param, required } from '../../../platform/http/params.ts';
import { entity } from '../../../platform/http/schema.ts';
import { grants, KeyedAccessLevel, levels, projectOrGroupParams } from '../schema.ts';

export const ProtectedTag = entity('ProtectedTag', {
  name: Type.String(),
  create_access_levels: Type.Array(KeyedAccessLevel),
});
export type ProtectedTagEntity = Static<typeof ProtectedTag>;

export const tagCreation = {
  ...projectOrGroupParams,
  name: required(param.string()),
  create_access_level: param.integerOf(levels),
  allowed_to_create: grants(),
};
