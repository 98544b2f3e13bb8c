import type { Services } from '../../access/services.ts';
import { deleteExpiredAwaiting } from './awaiting/store.ts';
import { deleteExpiredInvitations } from './invitations/store.ts';
import { endExpired } from './membership.ts';

const hour = 60 * 60 * 1000;

/** Deletes expired memberships and invitations, which are already ignored by all checks. */
export function memberJobs(services: Services): void {
  const { queue, db } = services;
  queue.recurring('members.expired', { everyMs: hour }, async ({ signal }) => {
    await endExpired(services, signal);
    await db.write(async (trx) => {
      await deleteExpiredInvitations(trx, Date.now());
      await deleteExpiredAwaiting(trx, Date.now());
    });
  });
}
