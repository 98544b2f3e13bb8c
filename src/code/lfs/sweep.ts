import type { Services } from '../../access/services.ts';
import type { Reader } from '../../platform/database/database.ts';
import { foreignKeyViolation } from '../../platform/database/errors.ts';
import { lfsKey } from './objects.ts';

const day = 24 * 60 * 60 * 1000;
const atOnce = 1000;

/** Some of the large files that no project has any more, after the one of a number. */
function unlinked(db: Reader, after: number): Promise<{ id: number; oid: string }[]> {
  return db
    .selectFrom('lfs_objects as o')
    .select(['o.id', 'o.oid'])
    .where('o.id', '>', after)
    .where('o.created_at', '<', Date.now() - day)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb.selectFrom('lfs_object_projects as p').select('p.project_id').whereRef('p.lfs_object_id', '=', 'o.id'),
        ),
      ),
    )
    .orderBy('o.id')
    .limit(atOnce)
    .execute();
}

/** Removes large files that no project has any more; returns how many. */
export async function sweepLfsObjects(services: Services, signal?: AbortSignal): Promise<number> {
  let removed = 0;
  for (let last = 0; ; ) {
    const objects = await unlinked(services.db.read, last);
    for (const { id, oid } of objects) {
      if (signal?.aborted) return removed;
      if (await remove(services, id, oid)) removed++;
      last = id;
    }
    if (objects.length < atOnce) return removed;
  }
}

async function remove({ db, storage }: Services, id: number, oid: string): Promise<boolean> {
  return db
    .write(async (trx) => {
      const result = await trx.deleteFrom('lfs_objects').where('id', '=', id).executeTakeFirst();
      if (result.numDeletedRows === 0n) return false;
      // While the row is still ours: an upload of the same bytes that links them now waits for us, and then finds that
      // they are gone.
      await storage.delete(lfsKey(oid));
      return true;
    })
    .catch((error: unknown) => {
      // Somebody has just linked it again.
      if (foreignKeyViolation(error)) return false;
      throw error;
    });
}

export function lfsJobs(services: Services): void {
  services.queue.recurring('sweep-lfs-objects', { minute: 47, hour: 3 }, async ({ signal }) => {
    await sweepLfsObjects(services, signal);
  });
}
