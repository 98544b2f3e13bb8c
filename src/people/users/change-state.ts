import type { Services } from '../../access/services.ts';
import type { User } from '../../access/tables.ts';
import type { Database } from '../../platform/database/database.ts';
import { lockRow } from '../../platform/database/locks.ts';
import { BadRequest, Forbidden, NotFound } from '../../platform/http/errors.ts';
import { changeState, type StateChange } from './states.ts';

/** Does it, and gives the documented answer: true for a change, else what stands for "already so". */
export async function applyStateChange(
  { db, settings }: Services,
  by: User,
  id: number,
  change: StateChange,
): Promise<boolean | null> {
  const { deactivate_dormant_users_period: dormantAfterDays } = await settings.read();
  // The row is locked: of two administrators at once, the second sees what the first has done.
  return db.write(async (trx) => {
    const user = await lockRow(trx, 'users', id);
    if (!user) throw new NotFound('User');
    const outcome = changeState(change, user, by.id, { dormantAfterDays });
    if ('refusal' in outcome) throw outcome.refusal;
    if ('unchanged' in outcome) return outcome.unchanged;
    const now = Date.now();
    await trx.updateTable('users').set({ state: outcome.to, updated_at: now }).where('id', '=', id).execute();
    return true;
  });
}

/** Switches the second factor off for someone who has lost it. */
export async function disableTwoFactor(db: Database, user: User): Promise<void> {
  if (user.admin === 1) {
    throw new Forbidden('Two-factor authentication for admins cannot be disabled via the API. Use the Rails console');
  }
  if (user.two_factor_enabled === 0) throw new BadRequest('Two-factor authentication is not enabled for this user');
  await db.write((trx) =>
    trx.updateTable('users').set({ two_factor_enabled: 0, updated_at: Date.now() }).where('id', '=', user.id).execute(),
  );
}
