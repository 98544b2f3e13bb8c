import type { Static } from 'typebox';
import type { GroupStatistics, RootStorageStatistics } from './schema.ts';
import type { Sizes } from './store.ts';

const nothing: Sizes = {
  repository: 0,
  lfs: 0,
  uploads: 0,
  packages: 0,
  registry: 0,
  wiki: 0,
  artifacts: 0,
  snippets: 0,
};
const total = (sizes: Sizes) =>
  sizes.repository + sizes.wiki + sizes.lfs + sizes.uploads + sizes.packages + sizes.artifacts + sizes.snippets;

export function presentStatistics(sizes: Sizes = nothing): Static<typeof GroupStatistics> {
  return {
    storage_size: total(sizes),
    repository_size: sizes.repository,
    wiki_size: sizes.wiki,
    lfs_objects_size: sizes.lfs,
    job_artifacts_size: sizes.artifacts,
    pipeline_artifacts_size: 0,
    packages_size: sizes.packages,
    snippets_size: sizes.snippets,
    uploads_size: sizes.uploads,
  };
}

export function presentRootStatistics(sizes: Sizes = nothing, proxied = 0): Static<typeof RootStorageStatistics> {
  return {
    build_artifacts_size: sizes.artifacts,
    container_registry_size: sizes.registry,
    container_registry_size_is_estimated: false,
    dependency_proxy_size: proxied,
    lfs_objects_size: sizes.lfs,
    packages_size: sizes.packages,
    pipeline_artifacts_size: 0,
    repository_size: sizes.repository,
    snippets_size: sizes.snippets,
    storage_size: total(sizes),
    uploads_size: sizes.uploads,
    wiki_size: sizes.wiki,
  };
}
