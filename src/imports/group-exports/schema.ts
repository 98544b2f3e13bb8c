import Type, { type Static } from 'typebox';
import { entity, nullable, timestamp } from '../../platform/http/schema.ts';

export const GroupExportStatus = entity('GroupExportStatus', {
  id: Type.Integer(),
  name: Type.String(),
  path: Type.String(),
  full_path: Type.String(),
  created_at: timestamp(),
  export_status: Type.String({ description: 'none, queued, started, regeneration_in_progress, finished or failed' }),
  export_error: nullable(Type.String()),
});
export type GroupExportStatusEntity = Static<typeof GroupExportStatus>;
