import Type, { type Static } from 'typebox';
import { param, required } from '../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../platform/http/schema.ts';
import { FailedRelation } from '../project-imports/public.ts';

export const Accepted = entity('GroupImportAccepted', { message: Type.String() });

export const GroupImportStatus = entity('GroupImportStatus', {
  id: Type.Integer(),
  name: Type.String(),
  path: Type.String(),
  full_path: Type.String(),
  created_at: timestamp(),
  import_status: Type.String({ description: 'none, created, started, finished or failed' }),
  import_error: nullable(Type.String()),
  failed_relations: Type.Array(FailedRelation),
});
export type GroupImportStatusEntity = Static<typeof GroupImportStatus>;

export const oneGroup = { id: required(param.string({ description: 'ID or URL-encoded path of the group' })) };

const place = {
  name: param.string({ description: 'Name of the new group' }),
  path: param.string({ description: 'Path of the new group' }),
  parent_id: param.integer({ description: 'ID of the parent group; none by default' }),
};

export const groupImport = {
  ...place,
  name: required(place.name),
  path: required(place.path),
  file: required(param.file()),
};

/** Parameters as declared to the route: the body is read and checked only after authentication, whatever its size. */
export const groupImportSent = { ...place, file: param.file() };
