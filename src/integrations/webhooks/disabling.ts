import type { WebhookRow } from './tables.ts';

/** State of a webhook: consecutive failures and backoff. */
export type Health = Pick<WebhookRow, 'recent_failures' | 'backoff_count' | 'disabled_until'>;
export type AlertStatus = 'executable' | 'temporarily_disabled' | 'disabled';

const tolerated = 3;
const final = 40;
const minute = 60_000;
const longest = 24 * 60 * minute;

/**
 * The first three failures are tolerated. From the fourth on, each disables the webhook temporarily; the fortieth
 * disables it permanently.
 */
export function alertStatus(health: Health, now = Date.now()): AlertStatus {
  if (health.recent_failures >= final) return 'disabled';
  if (health.recent_failures <= tolerated) return 'executable';
  return health.disabled_until !== null && health.disabled_until > now ? 'temporarily_disabled' : 'executable';
}

/** Returns the state after a failed delivery. The backoff starts at a minute and doubles up to a day. */
export function afterFailure(health: Health, now = Date.now()): Health {
  const recent_failures = Math.min(health.recent_failures + 1, final);
  if (recent_failures <= tolerated) return { ...health, recent_failures };
  const pause = Math.min(longest, minute * 2 ** Math.min(health.backoff_count, 20));
  return { recent_failures, backoff_count: health.backoff_count + 1, disabled_until: now + pause };
}

/** State after a successful delivery, which resets all failures. */
export const healthy: Health = { recent_failures: 0, backoff_count: 0, disabled_until: null };
