import type { BitmapHealth } from '../../platform/git/upkeep/health-files.ts';
import { instant } from '../../platform/http/schema.ts';
import type { RepositoryHealthEntity } from './schema.ts';
import type { StoredReport } from './stored-report.ts';

/** Presents a health report. */
export function presentHealth(report: StoredReport, updatedAt: number): RepositoryHealthEntity {
  const { references, objects, commitGraph, multiPackIndex, alternates } = report;
  return {
    size: report.size,
    references: {
      loose_count: references.looseCount,
      packed_size: references.packedSize,
      reference_backend: 'REFERENCE_BACKEND_FILES',
    },
    objects: {
      size: objects.size,
      recent_size: objects.recentSize,
      stale_size: objects.staleSize,
      keep_size: objects.keepSize,
      packfile_count: objects.packfileCount,
      reverse_index_count: objects.reverseIndexCount,
      cruft_count: objects.cruftCount,
      keep_count: objects.keepCount,
      loose_objects_count: objects.looseCount,
      stale_loose_objects_count: objects.staleLooseCount,
      loose_objects_garbage_count: objects.looseGarbageCount,
    },
    commit_graph: {
      commit_graph_chain_length: commitGraph.chainLength,
      has_bloom_filters: commitGraph.hasBloomFilters,
      has_generation_data: commitGraph.hasGenerationData,
      has_generation_data_overflow: commitGraph.hasGenerationDataOverflow,
    },
    bitmap: presentBitmap(report.bitmap),
    multi_pack_index: multiPackIndex
      ? { packfile_count: multiPackIndex.packfileCount, version: multiPackIndex.version }
      : null,
    multi_pack_index_bitmap: presentBitmap(report.multiPackIndexBitmap),
    alternates: alternates
      ? { object_directories: [...alternates.directories], last_modified: instant(alternates.modified) }
      : null,
    // Forks share objects through hard links, so there are no object pools.
    is_object_pool: false,
    last_full_repack: report.lastFullRepack === undefined ? null : secondsOf(report.lastFullRepack),
    updated_at: instant(updatedAt),
  };
}

function presentBitmap(bitmap: BitmapHealth | undefined): RepositoryHealthEntity['bitmap'] {
  if (!bitmap) return null;
  const { hasHashCache, hasLookupTable, version } = bitmap;
  return { has_hash_cache: hasHashCache, has_lookup_table: hasLookupTable, version };
}

function secondsOf(milliseconds: number): { seconds: number; nanos: number } {
  const seconds = Math.floor(milliseconds / 1000);
  return { seconds, nanos: Math.round((milliseconds - seconds * 1000) * 1e6) };
}
