import type { Services } from '../../../access/services.ts';
import type { User } from '../../../access/tables.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { foreignKeyViolation, uniqueViolation } from '../../../platform/database/errors.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { Conflict, Forbidden, NotFound } from '../../../platform/http/errors.ts';
import { discardPicture } from '../../avatars/public.ts';
import { revokeTokensOf } from '../../tokens/public.ts';
import { recordRemovedIdentities } from '../identities/removed-store.ts';
import { setState } from '../states/service.ts';
import { ghostUser } from './ghost.ts';
import { deleteUserRow } from './store.ts';

declare module '../../../platform/queue/job.ts' {
  interface JobPayloads {
    'users.delete': { userId: number; hard: boolean };
  }
}

/**
 * Deletes a user, in the background if there are belongings. With `hard`, everything only they own is deleted too;
 * otherwise their contributions are reassigned to the ghost user. `check` runs first in the transaction.
 */
export async function deleteUser(
  services: Services,
  user: User,
  hard: boolean,
  check: (trx: Writer) => Promise<void> = async () => undefined,
): Promise<void> {
  if (user.kind === 'ghost') throw new Forbidden();
  const checked = (work: (trx: Writer) => Promise<void>) =>
    services.db.write(async (trx) => {
      await check(trx);
      await work(trx);
    });
  const schedule = () => checked((trx) => scheduleRemoval(services, trx, user, hard));
  if (await hasBelongings(services, user)) return schedule();
  const remove = () => checked((trx) => removeAccount(services, trx, user, { hard, forced: hard }));
  try {
    await remove();
  } catch (error) {
    // A project was added to the user's namespace meanwhile.
    if (foreignKeyViolation(error)) await schedule();
    // Two concurrent deletions created the ghost user; the other one was first.
    else if (uniqueViolation(error)) await remove();
    else throw error;
  }
}

async function hasBelongings({ db, contributions }: Services, { id }: User): Promise<boolean> {
  for (const belongings of contributions('users.belongings')) if (await belongings.exist(db.read, id)) return true;
  return false;
}

/** Rejects a user pending approval. */
export async function rejectUser(services: Services, user: User): Promise<void> {
  if (user.state !== 'blocked_pending_approval') throw new Conflict('User does not have a pending request');
  await deleteUser(services, user, true);
  await services.db.write((trx) => services.announce(trx, 'user.rejected', { user }));
}

/** Blocks the account immediately and enqueues its deletion. */
export async function scheduleRemoval(services: Services, trx: Writer, user: User, hard: boolean): Promise<void> {
  const { id } = user;
  await services.announce(trx, 'user.leaving', { user, forced: hard });
  await setState(services, trx, user, 'blocked');
  await revokeTokensOf(trx, id);
  await services.queue.enqueue(trx, 'users.delete', { userId: id, hard }, { dedupeKey: `${id}` });
}

/** Reassigns everything of an account to a user and deletes it; used for placeholder users of imports. */
export async function mergeAccount(services: Services, trx: Writer, user: User, heir: User): Promise<void> {
  if (!(await lockRow(trx, 'users', user.id, 'remove'))) throw new NotFound('User');
  await services.announce(trx, 'user.removed', { user, heir });
  await deleteUserRow(trx, user.id);
}

/**
 * Deletes an account with everything that only belongs to it: tokens, keys, e-mail addresses, memberships and the
 * namespace, which must be empty. Unless `hard`, contributions are reassigned to the ghost user.
 */
export async function removeAccount(
  services: Services,
  trx: Writer,
  user: User,
  { hard, forced }: { readonly hard: boolean; readonly forced: boolean },
): Promise<void> {
  const { id } = user;
  await services.announce(trx, 'user.leaving', { user, forced });
  // From here on no concurrent transaction can add references to the account.
  if (!(await lockRow(trx, 'users', id, 'remove'))) throw new NotFound('User');
  const heir = hard ? null : await ghostUser(services, trx);
  await services.announce(trx, 'user.removed', { user, heir });
  await recordRemovedIdentities(trx, id);
  await deleteUserRow(trx, id);
  await discardPicture(services, trx, user.avatar);
}
