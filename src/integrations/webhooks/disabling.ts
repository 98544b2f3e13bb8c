import type { WebhookRow } from './tables.ts';

/** Whether a webhook is delivered to, and how often that failed in a row. */
export type Health = Pick<WebhookRow, 'recent_failures' | 'backoff_count' | 'disabled_until'>;
export type AlertStatus = 'executable' | 'temporarily_disabled' | 'disabled';

const tolerated = 3;
const final = 40;
const minute = 60_000;
const longest = 24 * 60 * minute;

/** Failures up to the third are borne; from the fourth on each makes a pause, and the fortieth is the last. */
export function alertStatus(health: Health, now = Date.now()): AlertStatus {
  if (health.recent_failures >= final) return 'disabled';
  if (health.recent_failures <= tolerated) return 'executable';
  return health.disabled_until !== null && health.disabled_until > now ? 'temporarily_disabled' : 'executable';
}

/** After a delivery that failed. Pauses last a minute, then twice as long each time, up to a day. */
export function afterFailure(health: Health, now = Date.now()): Health {
  const recent_failures = Math.min(health.recent_failures + 1, final);
  if (recent_failures <= tolerated) return { ...health, recent_failures };
  const pause = Math.min(longest, minute * 2 ** Math.min(health.backoff_count, 20));
  return { recent_failures, backoff_count: health.backoff_count + 1, disabled_until: now + pause };
}

/** After a delivery that was taken: whatever failed before is forgotten. */
export const healthy: Health = { recent_failures: 0, backoff_count: 0, disabled_until: null };
