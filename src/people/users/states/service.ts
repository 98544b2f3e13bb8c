import type { Services } from '../../../access/services.ts';
import type { User, UserState } from '../../../access/tables.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { NotFound } from '../../../platform/http/errors.ts';
import { changeUser } from '../accounts/store.ts';
import { outcomeOf, type StateChange } from './rules.ts';

/**
 * Applies a state change and returns the documented response: true for a change, otherwise the value for "no change".
 */
export async function changeState(
  services: Services,
  by: User,
  id: number,
  change: StateChange,
): Promise<boolean | null> {
  const { deactivate_dormant_users_period: dormantAfterDays } = await services.settings.read();
  // The row is locked, so that of two concurrent changes the second sees the first.
  return services.db.write(async (trx) => {
    const user = await lockRow(trx, 'users', id);
    if (!user) throw new NotFound('User');
    const outcome = outcomeOf(change, user, by.id, { dormantAfterDays });
    if ('refusal' in outcome) throw outcome.refusal;
    if ('unchanged' in outcome) return outcome.unchanged;
    await setState(services, trx, user, outcome.to);
    return true;
  });
}

/** Changes the state of an account and announces it. */
export async function setState(services: Services, trx: Writer, before: User, state: UserState): Promise<User> {
  const user = await changeUser(services, trx, before, { state });
  if (user.state !== before.state) await services.announce(trx, 'user.state_changed', { user, from: before.state });
  return user;
}

/** Reactivates a deactivated account at sign-in. */
export async function reactivate(services: Services, trx: Writer, user: User): Promise<void> {
  await setState(services, trx, user, 'active');
}
