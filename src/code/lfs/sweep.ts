import type { Services } from '../../access/services.ts';
import { foreignKeyViolation } from '../../platform/database/errors.ts';
import { lfsKey } from './service.ts';
import { deleteObject, unlinkedObjects } from './store.ts';

const day = 24 * 60 * 60 * 1000;
const batchSize = 1000;

/** Deletes LFS objects that no project references. Returns their number. */
export async function sweepLfsObjects(services: Services, signal?: AbortSignal): Promise<number> {
  let removed = 0;
  for (let last = 0; ; ) {
    const objects = await unlinkedObjects(services.db.read, {
      after: last,
      before: Date.now() - day,
      limit: batchSize,
    });
    for (const { id, oid } of objects) {
      if (signal?.aborted) return removed;
      if (await remove(services, id, oid)) removed++;
      last = id;
    }
    if (objects.length < batchSize) return removed;
  }
}

async function remove({ db, storage }: Services, id: number, oid: string): Promise<boolean> {
  return db
    .write(async (trx) => {
      if (!(await deleteObject(trx, id))) return false;
      // Delete the file while holding the row lock: a concurrent upload of the same content waits for it, then finds
      // the file missing.
      await storage.delete(lfsKey(oid));
      return true;
    })
    .catch((error: unknown) => {
      // The object was linked again concurrently.
      if (foreignKeyViolation(error)) return false;
      throw error;
    });
}

export function lfsJobs(services: Services): void {
  services.queue.recurring('sweep-lfs-objects', { minute: 47, hour: 3 }, async ({ signal }) => {
    await sweepLfsObjects(services, signal);
  });
}
