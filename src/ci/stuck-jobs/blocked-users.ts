import { findUser } from '../../access/credentials/identify.ts';
import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import type { Writer } from '../../platform/database/database.ts';
import { jobById, transitionJob } from '../jobs/public.ts';
import { jobsUnderWay } from './store.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'ci.end-jobs-of-user': { userId: number };
    /** Jobs that ran for somebody whose account is gone. */
    'ci.end-jobs-of-nobody': { ids: number[] };
  }
}

const shutOut: ReadonlySet<string> = new Set(['blocked', 'banned', 'ldap_blocked']);

/** Somebody has been blocked: what runs in their name ends. What waits for a hand stays, for others to start. */
export async function followUser(
  { queue }: Services,
  trx: Writer,
  { user, changed }: { readonly user: User; readonly changed: ReadonlySet<keyof User> },
): Promise<void> {
  if (!changed.has('state') || !shutOut.has(user.state)) return;
  await queue.enqueue(trx, 'ci.end-jobs-of-user', { userId: user.id }, { dedupeKey: `${user.id}` });
}

/** An account goes: what runs in its name ends, once its number stands nowhere any more. */
export async function followRemoval(
  { queue }: Services,
  trx: Writer,
  { user }: { readonly user: User },
): Promise<void> {
  for (let beyond = 0; ; ) {
    const ids = await jobsUnderWay(trx, user.id, beyond);
    const last = ids.at(-1);
    if (last === undefined) return;
    await queue.enqueue(trx, 'ci.end-jobs-of-nobody', { ids });
    beyond = last;
  }
}

export function jobsOfBlockedUsers(services: Services): void {
  const { db, queue } = services;
  queue.defineJob('ci.end-jobs-of-nobody', async ({ payload: { ids } }) => {
    for (const id of ids) {
      // Somebody else may have played it in the meantime: it is theirs then.
      if ((await jobById(db.read, id))?.user_id !== null) continue;
      await db.write((trx) => transitionJob(services, trx, id, 'drop', { failureReason: 'user_blocked' }));
    }
  });
  queue.defineJob('ci.end-jobs-of-user', async ({ payload: { userId }, signal }) => {
    const user = await findUser(db.read, userId);
    // They may have been let in again before their turn came.
    if (!user || !shutOut.has(user.state)) return;
    for (let beyond = 0; !signal.aborted; ) {
      const ids = await jobsUnderWay(db.read, userId, beyond);
      for (const id of ids) {
        await db.write((trx) => transitionJob(services, trx, id, 'drop', { failureReason: 'user_blocked' }));
      }
      const last = ids.at(-1);
      if (last === undefined) return;
      beyond = last;
    }
  });
}
