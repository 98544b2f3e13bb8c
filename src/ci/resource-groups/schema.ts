import Type, { type Static } from 'typebox';
import { param, required } from '../../platform/http/params.ts';
import { entity, timestamp } from '../../platform/http/schema.ts';
import { processModes } from './tables.ts';

export const ResourceGroup = entity('ResourceGroup', {
  id: Type.Integer(),
  key: Type.String(),
  process_mode: Type.String(),
  created_at: timestamp(),
  updated_at: timestamp(),
});
export type ResourceGroupEntity = Static<typeof ResourceGroup>;

export const project = { id: required(param.string({ description: 'ID or URL-encoded path of the project' })) };
export const oneGroup = { ...project, key: required(param.string({ description: 'Key of the resource group' })) };
export const change = {
  ...oneGroup,
  process_mode: param.oneOf(processModes, { description: 'Order in which waiting jobs get the resource' }),
};
