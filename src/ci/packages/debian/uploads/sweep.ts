import type { Services } from '../../../../access/services.ts';
import { lockRow } from '../../../../platform/database/locks.ts';
import { removeFiles } from '../../service.ts';
import * as packages from '../../store.ts';
import * as store from './store.ts';
import { lockIncoming } from './upload.ts';

const day = 24 * 60 * 60 * 1000;
const batchSize = 100;

/** Removes uploaded files that no `.changes` has claimed for a day. */
export async function sweepIncoming(services: Services, signal?: AbortSignal, now = Date.now()): Promise<void> {
  for (let last: number | undefined = 0; last !== undefined && !signal?.aborted; ) {
    const rows: { id: number; project_id: number }[] = await store.incomingPackages(services.db.read, last, batchSize);
    for (const row of rows) await sweepPackage(services, row, now - day);
    last = rows.at(-1)?.id;
  }
}

async function sweepPackage(
  services: Services,
  { id, project_id }: { readonly id: number; readonly project_id: number },
  before: number,
): Promise<void> {
  await services.db.write(async (trx) => {
    await lockIncoming(trx, project_id);
    const found = await lockRow(trx, 'packages', id, 'remove');
    if (!found) return;
    await removeFiles(services, trx, { project: { id: project_id } }, { fileIds: store.filesBefore(id, before) });
    // An empty package may still show why an upload was rejected.
    if (found.updated_at < before && !(await store.hasFiles(trx, id))) await packages.deletePackage(trx, id);
  });
}
