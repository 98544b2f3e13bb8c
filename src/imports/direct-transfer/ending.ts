import type { Writer } from '../../platform/database/database.ts';
import * as store from './store.ts';
import type { EntityRow, TransferStatus } from './tables.ts';

/** Ends an entity, and the whole bulk import if it was the last one. */
export async function endEntity(
  trx: Writer,
  entity: Pick<EntityRow, 'id' | 'bulk_import_id'>,
  status: TransferStatus,
  columns: { readonly stats?: string } = {},
): Promise<void> {
  // Locks the bulk import, so that concurrent endings do not both miss that they are the last.
  await store.lockBulkImport(trx, entity.bulk_import_id);
  if (!(await store.updateEntity(trx, entity.id, { ...columns, status, cursors: '{}' }))) return;
  const counts = await store.countEntities(trx, entity.bulk_import_id);
  if ((counts.get('created') ?? 0) + (counts.get('started') ?? 0) > 0) return;
  const some = (counts.get('finished') ?? 0) > 0;
  const end = some ? 'finished' : counts.get('failed') ? 'failed' : status;
  await store.updateBulkImport(trx, entity.bulk_import_id, { status: end, encrypted_data: null });
}
