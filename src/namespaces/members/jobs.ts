import type { Services } from '../../access/services.ts';

const hour = 60 * 60 * 1000;

/** Removes memberships and invitations that have run out; until then they count for nothing already. */
export function memberJobs({ queue, db }: Services): void {
  queue.recurring('members.expired', { everyMs: hour }, async () => {
    const now = Date.now();
    await db.write(async (trx) => {
      await trx.deleteFrom('members').where('expires_at', '<=', now).execute();
      await trx.deleteFrom('member_invitations').where('expires_at', '<=', now).execute();
    });
  });
}
