import Type, { type Static } from 'typebox';
import { type ParamsOf, param, required, withDefault } from '../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../platform/http/schema.ts';
import { bulkImportList, entitiesOfImport, entityList } from './list.ts';

export const BulkImport = entity('BulkImport', {
  id: Type.Integer(),
  status: Type.String(),
  source_type: Type.String(),
  source_url: Type.String(),
  created_at: timestamp(),
  updated_at: timestamp(),
  has_failures: Type.Boolean(),
});
export type BulkImportEntity = Static<typeof BulkImport>;

export const TransferFailure = entity('BulkImportFailure', {
  relation: Type.String(),
  exception_message: Type.String(),
  exception_class: Type.String(),
  correlation_id_value: nullable(Type.String()),
  source_url: nullable(Type.String()),
  source_title: nullable(Type.String()),
});
export type TransferFailureEntity = Static<typeof TransferFailure>;

const counts = Type.Object({ source: Type.Integer(), fetched: Type.Integer(), imported: Type.Integer() });
export const Stats = Type.Record(Type.String(), counts);

export const TransferEntity = entity('BulkImportEntity', {
  id: Type.Integer(),
  bulk_import_id: Type.Integer(),
  status: Type.String(),
  entity_type: Type.String(),
  source_full_path: Type.String(),
  destination_full_path: Type.String(),
  destination_name: Type.String(),
  destination_slug: Type.String(),
  destination_namespace: Type.String(),
  parent_id: nullable(Type.Integer()),
  namespace_id: nullable(Type.Integer()),
  project_id: nullable(Type.Integer()),
  created_at: timestamp(),
  updated_at: timestamp(),
  failures: Type.Array(TransferFailure),
  migrate_projects: Type.Boolean(),
  migrate_memberships: Type.Boolean(),
  has_failures: Type.Boolean(),
  stats: Stats,
});
export type TransferEntityEntity = Static<typeof TransferEntity>;

const wantedEntity = {
  source_type: required(param.oneOf(['group_entity', 'project_entity'])),
  source_full_path: required(param.string({ description: 'Full path on the source server' })),
  destination_namespace: required(param.string({ description: 'Destination group; empty for a top-level group' })),
  destination_slug: param.string({ description: 'Path at the destination' }),
  destination_name: param.string({ description: 'Deprecated alias of `destination_slug`' }),
  migrate_projects: withDefault(param.boolean({ description: 'Whether to migrate the projects of a group' }), true),
  migrate_memberships: withDefault(param.boolean({ description: 'Whether to migrate memberships' }), true),
};
export type WantedEntity = ParamsOf<typeof wantedEntity>;

export const newBulkImport = {
  configuration: required(
    param.hash({
      url: required(param.string({ description: 'URL of the source server' })),
      access_token: required(
        param.string({ description: 'Personal access token of the source server with the `api` scope' }),
      ),
    }),
  ),
  entities: required(param.hashes(wantedEntity)),
};
export type NewBulkImportParams = ParamsOf<typeof newBulkImport>;

const sort = withDefault(param.oneOf(['asc', 'desc']), 'desc');
export const importList = { ...bulkImportList.params, sort };
export const allEntities = { ...entityList.params, sort };
export const oneImport = { import_id: required(param.integer()) };
export const entitiesIn = { ...oneImport, ...entitiesOfImport.params };
export const oneEntity = { ...oneImport, entity_id: required(param.integer()) };
