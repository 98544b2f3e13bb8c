import Type, { type Static } from 'typebox';
import { param, required, withDefault } from '../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../platform/http/schema.ts';

const Bitmap = Type.Object({
  has_hash_cache: Type.Boolean(),
  has_lookup_table: Type.Boolean(),
  version: Type.Integer(),
});

/** A report on the storage of a repository, for diagnosing slow or large repositories. */
export const RepositoryHealth = entity('RepositoryHealth', {
  size: Type.Integer(),
  references: Type.Object({
    loose_count: Type.Integer(),
    packed_size: Type.Integer(),
    reference_backend: Type.String(),
  }),
  objects: Type.Object({
    size: Type.Integer(),
    recent_size: Type.Integer(),
    stale_size: Type.Integer(),
    keep_size: Type.Integer(),
    packfile_count: Type.Integer(),
    reverse_index_count: Type.Integer(),
    cruft_count: Type.Integer(),
    keep_count: Type.Integer(),
    loose_objects_count: Type.Integer(),
    stale_loose_objects_count: Type.Integer(),
    loose_objects_garbage_count: Type.Integer(),
  }),
  commit_graph: Type.Object({
    commit_graph_chain_length: Type.Integer(),
    has_bloom_filters: Type.Boolean(),
    has_generation_data: Type.Boolean(),
    has_generation_data_overflow: Type.Boolean(),
  }),
  bitmap: nullable(Bitmap),
  multi_pack_index: nullable(Type.Object({ packfile_count: Type.Integer(), version: Type.Integer() })),
  multi_pack_index_bitmap: nullable(Bitmap),
  alternates: nullable(Type.Object({ object_directories: Type.Array(Type.String()), last_modified: timestamp() })),
  is_object_pool: Type.Boolean(),
  last_full_repack: nullable(Type.Object({ seconds: Type.Integer(), nanos: Type.Integer() })),
  updated_at: timestamp(),
});
export type RepositoryHealthEntity = Static<typeof RepositoryHealth>;

export const reading = {
  id: required(param.string({ description: 'ID or URL-encoded path of the project' })),
  generate: withDefault(param.boolean({ description: 'Generate a new report' }), false),
};
