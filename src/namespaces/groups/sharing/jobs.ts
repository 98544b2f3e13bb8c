import type { Services } from '../../../access/services.ts';
import { deleteExpiredShares } from './store.ts';

const hour = 60 * 60 * 1000;

/** Deletes expired group invitations, which are already ignored by all checks. */
export function sharingJobs({ queue, db }: Services): void {
  queue.recurring('groups.expired-shares', { everyMs: hour }, async () => {
    await db.write((trx) => deleteExpiredShares(trx, Date.now()));
  });
}
