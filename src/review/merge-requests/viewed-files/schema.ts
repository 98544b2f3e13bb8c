import Type, { type Static } from 'typebox';
import { param, required } from '../../../platform/http/params.ts';
import { entity } from '../../../platform/http/schema.ts';
import { oneRequest } from '../schema.ts';

export const ViewedFile = entity('MergeRequestViewedFile', {
  version: Type.String(),
  viewed_at: Type.String(),
});
export type ViewedFileEntity = Static<typeof ViewedFile>;

export const oneViewedFile = {
  ...oneRequest,
  version: required(param.string({ description: 'Hexadecimal digest of the viewed changes' })),
};
