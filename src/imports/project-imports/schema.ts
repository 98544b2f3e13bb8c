import Type, { type Static } from 'typebox';
import { entity, nullable, timestamp } from '../../platform/http/schema.ts';

const cancelFields = {
  id: Type.Integer(),
  name: Type.String(),
  full_path: Type.String(),
  full_name: Type.String(),
  import_source: Type.String(),
  import_status: Type.String(),
  human_import_status_name: Type.String(),
  provider_link: Type.String(),
};

/** An import as shown to the user who requested it. */
export const ImportResult = entity('ImportResult', {
  ...cancelFields,
  refs_url: Type.String(),
  forked: Type.Boolean(),
  relation_type: nullable(Type.String()),
  import_warning: nullable(Type.String()),
  import_error: Type.Optional(Type.String()),
});
export type ImportResultEntity = Static<typeof ImportResult>;

/** A record that could not be imported. */
export const FailedRelation = entity('FailedRelation', {
  id: Type.Integer(),
  created_at: timestamp(),
  exception_class: Type.String(),
  exception_message: nullable(Type.String()),
  source: Type.String(),
  line_number: nullable(Type.Integer()),
  relation_name: Type.String(),
});

export type FailedRelationEntity = Static<typeof FailedRelation>;

const Counts = Type.Record(Type.String(), Type.Integer());

export const ImportStatus = entity('ProjectImportStatus', {
  id: Type.Integer(),
  description: nullable(Type.String()),
  name: Type.String(),
  name_with_namespace: Type.String(),
  path: Type.String(),
  path_with_namespace: Type.String(),
  created_at: timestamp(),
  import_status: Type.String(),
  import_type: nullable(Type.String()),
  correlation_id: nullable(Type.String()),
  failed_relations: Type.Array(FailedRelation),
  import_error: nullable(Type.String()),
  stats: nullable(Type.Object({ fetched: Counts, imported: Counts })),
});
export type ImportStatusEntity = Static<typeof ImportStatus>;

/** A repository of another host available for import. */
const HostRepository = entity('HostRepository', {
  id: Type.String({ description: 'Identifier for the import request' }),
  full_name: Type.String(),
  description: nullable(Type.String()),
  private: Type.Boolean(),
});
export type HostRepositoryEntity = Static<typeof HostRepository>;

export const HostRepositories = entity('HostRepositories', {
  repositories: Type.Array(HostRepository),
  next_page: nullable(Type.Integer({ description: 'Value of `page` for the next page' })),
});
export type HostRepositoriesEntity = Static<typeof HostRepositories>;
