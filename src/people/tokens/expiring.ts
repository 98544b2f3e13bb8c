import type { Services } from '../../access/services.ts';
import { expiringTokens, markExpiryAnnounced } from './store.ts';

const day = 86_400_000;
/** Days before expiry at which owners are notified. */
const noticeDays = [7, 30, 60] as const;
const atOnce = 100;

/** Daily: announces tokens about to expire; those missed on one day are announced the next. */
export async function announceExpiring(services: Services, signal: AbortSignal, now = Date.now()): Promise<void> {
  const { db, announce } = services;
  for (const days of noticeDays) {
    for (let last = 0; !signal.aborted; ) {
      const tokens = await expiringTokens(db.read, { from: now, to: now + days * day, days, after: last }, atOnce);
      if (tokens.length === 0) break;
      await db.write(async (trx) => {
        for (const { id } of tokens) {
          const token = await markExpiryAnnounced(trx, id, days);
          if (token) await announce(trx, 'token.expiring', { token, days });
        }
      });
      last = tokens.at(-1)?.id ?? last;
    }
  }
}
