import { dayToInstant } from '../../platform/http/schema.ts';

const day = 86_400_000;

/** The longest a token may live, and how long one that is made without a day of expiry does. */
export const longestLife = 365;
/** How long a rotated token lives unless told otherwise. */
export const rotatedLife = 7;

/** The start of today, in UTC: a token dies at the start of its day. */
export function today(now = Date.now()): number {
  return Math.floor(now / day) * day;
}

/** The day so many days from now. */
export function inDays(days: number, now = Date.now()): number {
  return today(now) + days * day;
}

/** What is wrong with a day of expiry, behind `Expiration date` or on its own attribute; undefined when nothing is. */
export function expiryProblem(expiresAt: number, now = Date.now()): string | undefined {
  const last = inDays(longestLife, now);
  return expiresAt > last ? `must be before ${new Date(last).toISOString().slice(0, 10)}` : undefined;
}

/** The sent day as an instant, or the day so many days from now. */
export function expiryOf(sent: string | undefined, otherwise: number, now = Date.now()): number {
  return sent === undefined ? inDays(otherwise, now) : dayToInstant(sent);
}
