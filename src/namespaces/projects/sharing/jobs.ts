import type { Services } from '../../../access/services.ts';
import { deleteExpiredShares } from './store.ts';

const hour = 60 * 60 * 1000;

/** Forgets the shares whose time is up: nobody has had a role by them since. */
export function sharingJobs({ db, queue }: Services): void {
  queue.recurring('projects.expired-shares', { everyMs: hour }, async () => {
    await db.write((trx) => deleteExpiredShares(trx, Date.now()));
  });
}
