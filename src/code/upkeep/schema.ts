import Type, { type Static } from 'typebox';
import { entity, timestamp } from '../../platform/http/schema.ts';

export const RepositoryStorage = entity('ProjectRepositoryStorage', {
  disk_path: Type.String(),
  project_id: Type.Integer(),
  repository_storage: Type.String(),
  created_at: timestamp(),
});
export type RepositoryStorageEntity = Static<typeof RepositoryStorage>;
