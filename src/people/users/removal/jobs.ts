import { findUser } from '../../../access/credentials/identify.ts';
import type { Services } from '../../../access/services.ts';
import { removeAccount } from './service.ts';
import { deleteUnconfirmed } from './unconfirmed.ts';

/** Deletes accounts with too many belongings for one transaction. */
export function removalJobs(services: Services): void {
  const { db, queue, contributions } = services;
  queue.defineJob('users.delete', async ({ payload: { userId, hard }, signal }) => {
    const user = await findUser(db.read, userId);
    if (!user) return;
    for (const belongings of contributions('users.belongings')) await belongings.remove(services, userId, signal);
    // The deletion was checked when it was enqueued.
    await db.write((trx) => removeAccount(services, trx, user, { hard, forced: true }));
  });
  queue.recurring('users.unconfirmed', { everyMs: 86_400_000 }, ({ signal }) => deleteUnconfirmed(services, signal));
}
