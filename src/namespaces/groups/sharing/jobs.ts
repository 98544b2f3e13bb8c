import type { Services } from '../../../access/services.ts';
import { deleteExpiredShares } from './store.ts';

const hour = 60 * 60 * 1000;

/** Removes the invitations of groups that have run out; until then they count for nothing already. */
export function sharingJobs({ queue, db }: Services): void {
  queue.recurring('groups.expired-shares', { everyMs: hour }, async () => {
    await db.write((trx) => deleteExpiredShares(trx, Date.now()));
  });
}
