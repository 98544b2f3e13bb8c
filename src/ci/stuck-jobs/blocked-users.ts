import { findUser } from '../../access/credentials/identify.ts';
import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import type { Writer } from '../../platform/database/database.ts';
import { jobById, transitionJob } from '../jobs/public.ts';
import { unfinishedJobs } from './store.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'ci.end-jobs-of-user': { userId: number };
    /** Drops the jobs of a deleted user. */
    'ci.end-jobs-of-nobody': { ids: number[] };
  }
}

const blockedStates: ReadonlySet<string> = new Set(['blocked', 'banned', 'ldap_blocked']);

/** Drops the running jobs of a user who was blocked. Manual jobs are kept for other users to start. */
export async function onUserUpdated(
  { queue }: Services,
  trx: Writer,
  { user, changed }: { readonly user: User; readonly changed: ReadonlySet<keyof User> },
): Promise<void> {
  if (!changed.has('state') || !blockedStates.has(user.state)) return;
  await queue.enqueue(trx, 'ci.end-jobs-of-user', { userId: user.id }, { dedupeKey: `${user.id}` });
}

/** Drops the running jobs of a user being deleted. Enqueued by job ID, because the user ID is removed from the rows. */
export async function onUserRemoved(
  { queue }: Services,
  trx: Writer,
  { user }: { readonly user: User },
): Promise<void> {
  for (let afterId = 0; ; ) {
    const ids = await unfinishedJobs(trx, user.id, afterId);
    const last = ids.at(-1);
    if (last === undefined) return;
    await queue.enqueue(trx, 'ci.end-jobs-of-nobody', { ids });
    afterId = last;
  }
}

export function defineBlockedUserJobs(services: Services): void {
  const { db, queue } = services;
  queue.defineJob('ci.end-jobs-of-nobody', async ({ payload: { ids } }) => {
    for (const id of ids) {
      // Another user may have played the job in the meantime and now owns it.
      if ((await jobById(db.read, id))?.user_id !== null) continue;
      await db.write((trx) => transitionJob(services, trx, id, 'drop', { failureReason: 'user_blocked' }));
    }
  });
  queue.defineJob('ci.end-jobs-of-user', async ({ payload: { userId }, signal }) => {
    const user = await findUser(db.read, userId);
    // The user may have been unblocked before this job ran.
    if (!user || !blockedStates.has(user.state)) return;
    for (let afterId = 0; !signal.aborted; ) {
      const ids = await unfinishedJobs(db.read, userId, afterId);
      for (const id of ids) {
        await db.write((trx) => transitionJob(services, trx, id, 'drop', { failureReason: 'user_blocked' }));
      }
      const last = ids.at(-1);
      if (last === undefined) return;
      afterId = last;
    }
  });
}
