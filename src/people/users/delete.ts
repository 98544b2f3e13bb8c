import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { foreignKeyViolation, uniqueViolation } from '../../platform/database/errors.ts';
import { Conflict, Forbidden } from '../../platform/http/errors.ts';
import { removeAccount } from './remove-account.ts';
import { holdOwnedGroups, refuseSoleOwner } from './sole-owner.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'users.delete': { userId: number; hard: boolean };
  }
}

/**
 * Deletes a user: at once where nothing hangs on the account, else in the background. With `hard`, what they alone own
 * goes too; without it, what they wrote stays, as the ghost's.
 */
export async function deleteUser(services: Services, user: User, hard: boolean): Promise<void> {
  if (user.kind === 'ghost') throw new Forbidden();
  const { db } = services;
  if (await ownsProjects(db.read, user.id)) return schedule(services, user, hard);
  const remove = () =>
    db.write(async (trx) => {
      await checkOwner(trx, user, hard);
      await removeAccount(services, trx, user, hard);
    });
  try {
    await remove();
  } catch (error) {
    // A project came into the user's namespace meanwhile.
    if (foreignKeyViolation(error)) await schedule(services, user, hard);
    // Two at once wanted the first ghost; the other one has made it.
    else if (uniqueViolation(error)) await remove();
    else throw error;
  }
}

/** Of two owners who are removed at once, the second is the last one. */
async function checkOwner(trx: Writer, { id }: User, hard: boolean): Promise<void> {
  if (hard) return;
  await holdOwnedGroups(trx, id);
  await refuseSoleOwner(trx, id);
}

/** Turns someone away who waits for approval. */
export async function rejectUser(services: Services, user: User): Promise<void> {
  if (user.state !== 'blocked_pending_approval') throw new Conflict('User does not have a pending request');
  await deleteUser(services, user, true);
}

/** Shuts the account out now; the rest follows. */
async function schedule({ db, queue }: Services, user: User, hard: boolean): Promise<void> {
  const { id } = user;
  await db.write(async (trx) => {
    await checkOwner(trx, user, hard);
    await trx.updateTable('users').set({ state: 'blocked', updated_at: Date.now() }).where('id', '=', id).execute();
    await trx.updateTable('access_tokens').set({ revoked: 1 }).where('user_id', '=', id).execute();
    await queue.enqueue(trx, 'users.delete', { userId: id, hard }, { dedupeKey: `${id}` });
  });
}

async function ownsProjects(db: Reader, user: number): Promise<boolean> {
  const found = await db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .select('projects.id')
    .where('namespaces.owner_id', '=', user)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}
