import Type from 'typebox';
import { entity } from '../../../platform/http/schema.ts';

const size = () => Type.Integer();

export const GroupStatistics = entity('GroupStatistics', {
  storage_size: size(),
  repository_size: size(),
  wiki_size: size(),
  lfs_objects_size: size(),
  job_artifacts_size: size(),
  pipeline_artifacts_size: size(),
  packages_size: size(),
  snippets_size: size(),
  uploads_size: size(),
});

export const RootStorageStatistics = entity('RootStorageStatistics', {
  build_artifacts_size: size(),
  container_registry_size: size(),
  container_registry_size_is_estimated: Type.Boolean(),
  dependency_proxy_size: size(),
  lfs_objects_size: size(),
  packages_size: size(),
  pipeline_artifacts_size: size(),
  repository_size: size(),
  snippets_size: size(),
  storage_size: size(),
  uploads_size: size(),
  wiki_size: size(),
});
