import type { Services } from '../../../access/services.ts';
import { deleteExpiredShares } from './store.ts';

const hour = 60 * 60 * 1000;

/** Deletes expired shares, which already grant no role. */
export function sharingJobs({ db, queue }: Services): void {
  queue.recurring('projects.expired-shares', { everyMs: hour }, async () => {
    await db.write((trx) => deleteExpiredShares(trx, Date.now()));
  });
}
