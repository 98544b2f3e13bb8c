import type { Services } from '../../../access/services.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { outcomeOf } from './rules.ts';
import { setState } from './service.ts';
import { findDormant } from './store.ts';

const day = 86_400_000;
/** Grace period in days for users who were never active. */
const gracePeriodDays = 7;
const atOnce = 100;

/** Daily, if enabled: deactivates dormant accounts. */
export async function deactivateDormant(services: Services, signal: AbortSignal, now = Date.now()): Promise<void> {
  const { db, settings } = services;
  const { deactivate_dormant_users: enabled, deactivate_dormant_users_period: dormantAfterDays } =
    await settings.read();
  const away = { since: now - dormantAfterDays * day, addedBefore: now - gracePeriodDays * day };
  for (let after = 0; enabled && !signal.aborted; ) {
    const ids = await findDormant(db.read, { ...away, after }, atOnce);
    if (ids.length === 0) return;
    await db.write(async (trx) => {
      for (const id of ids) {
        const user = await lockRow(trx, 'users', id);
        const outcome = user && outcomeOf('deactivate', user, 0, { now, dormantAfterDays });
        if (outcome && 'to' in outcome) await setState(services, trx, user, outcome.to);
      }
    });
    after = ids.at(-1) ?? after;
  }
}
