import { instant } from '../../platform/http/schema.ts';
import { storedJson } from '../../platform/stored-json.ts';
import { type BulkImportEntity, Stats, type TransferEntityEntity, type TransferFailureEntity } from './schema.ts';
import type { BulkImportRow, EntityRow, FailureRow } from './tables.ts';

export function presentImport(row: BulkImportRow): BulkImportEntity {
  return {
    id: row.id,
    status: row.status,
    source_type: 'gitlab',
    source_url: row.source_url,
    created_at: instant(row.created_at),
    updated_at: instant(row.updated_at),
    has_failures: row.has_failures === 1,
  };
}

export const readTransferStats = storedJson(Stats);

export function destinationOf({ destination_namespace: into, destination_slug: slug }: EntityRow): string {
  return into === '' ? slug : `${into}/${slug}`;
}

export function presentFailure(row: FailureRow): TransferFailureEntity {
  return {
    relation: row.relation,
    exception_message: row.exception_message,
    exception_class: row.exception_class,
    correlation_id_value: null,
    source_url: null,
    source_title: row.source_title,
  };
}

export function presentEntity(row: EntityRow, failures: readonly FailureRow[]): TransferEntityEntity {
  return {
    id: row.id,
    bulk_import_id: row.bulk_import_id,
    status: row.status,
    entity_type: row.entity_type,
    source_full_path: row.source_full_path,
    destination_full_path: destinationOf(row),
    destination_name: row.destination_slug,
    destination_slug: row.destination_slug,
    destination_namespace: row.destination_namespace,
    parent_id: row.parent_id,
    namespace_id: row.namespace_id,
    project_id: row.project_id,
    created_at: instant(row.created_at),
    updated_at: instant(row.updated_at),
    failures: failures.map(presentFailure),
    migrate_projects: row.migrate_projects === 1,
    migrate_memberships: row.migrate_memberships === 1,
    has_failures: row.has_failures === 1,
    stats: readTransferStats(row.stats),
  };
}
