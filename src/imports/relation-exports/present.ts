import { instant } from '../../platform/http/schema.ts';
import type { RelationStateEntity } from './schema.ts';
import type { RelationExportRow, RelationExportStatus, RelationFileRow } from './tables.ts';

const numbers: Readonly<Record<RelationExportStatus, number>> = { started: 0, finished: 1, failed: -1 };

/** Status of an export, in the format read by the target server. */
export function presentRelation(row: RelationExportRow, files: readonly RelationFileRow[]): RelationStateEntity {
  const batched = row.batched === 1;
  const batches = batched ? files : [];
  return {
    relation: row.relation,
    status: numbers[row.status],
    error: row.error,
    updated_at: instant(row.updated_at),
    batched,
    batches_count: batches.length,
    total_objects_count: row.objects_count,
    ...(batched
      ? {
          batches: batches.map(({ batch_number, objects_count, updated_at }) => ({
            status: numbers.finished,
            batch_number,
            objects_count,
            error: null,
            updated_at: instant(updated_at),
          })),
        }
      : {}),
  };
}
