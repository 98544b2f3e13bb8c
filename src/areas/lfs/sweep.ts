import type { Database } from '../../platform/database/database.ts';
import { foreignKeyViolation } from '../../platform/database/errors.ts';
import type { Services } from '../../platform/services.ts';
import { lfsKey } from './objects.ts';

const day = 24 * 60 * 60 * 1000;
const atOnce = 1000;

function unlinked(db: Database) {
  return db.read
    .selectFrom('lfs_objects as o')
    .select(['o.id', 'o.oid'])
    .where('o.created_at', '<', Date.now() - day)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb.selectFrom('lfs_object_projects as p').select('p.project_id').whereRef('p.lfs_object_id', '=', 'o.id'),
        ),
      ),
    );
}

/** Removes large files that no project has any more; returns how many. */
export async function sweepLfsObjects({ db, storage }: Services, signal?: AbortSignal): Promise<number> {
  let removed = 0;
  for (const { id, oid } of await unlinked(db).limit(atOnce).execute()) {
    if (signal?.aborted) break;
    const gone = await db
      .write(async (trx) => {
        const result = await trx.deleteFrom('lfs_objects').where('id', '=', id).executeTakeFirst();
        if (result.numDeletedRows === 0n) return false;
        // While the row is still ours: an upload of the same bytes that links them now waits for us, and then finds
        // that they are gone.
        await storage.delete(lfsKey(oid));
        return true;
      })
      .catch((error: unknown) => {
        // Somebody has just linked it again.
        if (foreignKeyViolation(error)) return false;
        throw error;
      });
    if (gone) removed++;
  }
  return removed;
}

export function lfsJobs(services: Services): void {
  services.queue.recurring('sweep-lfs-objects', { minute: 47, hour: 3 }, async ({ signal }) => {
    await sweepLfsObjects(services, signal);
  });
}
