import type { ApplicationSettings } from '../../access/application-settings/list.ts';
import type { User } from '../../access/tables.ts';
import { dayToInstant } from '../../platform/http/schema.ts';

const day = 86_400_000;

/** The longest a token may live, and how long one that is made without a day of expiry does, unless settings differ. */
export const longestLife = 365;
/** How long a rotated token lives unless told otherwise. */
export const rotatedLife = 7;

/** How long tokens may live. */
export interface Lifetime {
  /** None lives for ever. */
  readonly required: boolean;
  /** In days; null for any number. */
  readonly longest: number | null;
}

/** What the instance says of it. */
export function lifetimeOf(
  {
    require_personal_access_token_expiry: everybody,
    service_access_tokens_expiration_enforced: programs,
    max_personal_access_token_lifetime: days,
  }: ApplicationSettings,
  kind: User['kind'] = 'human',
): Lifetime {
  const required = everybody && (programs || kind !== 'service_account');
  return { required, longest: days ?? (required ? longestLife : null) };
}

/** The start of today, in UTC: a token dies at the start of its day. */
export function today(now = Date.now()): number {
  return Math.floor(now / day) * day;
}

/** The day so many days from now. */
export function inDays(days: number, now = Date.now()): number {
  return today(now) + days * day;
}

/** What is wrong with a day of expiry, behind `Expiration date` or on its own attribute; undefined when nothing is. */
export function expiryProblem(
  expiresAt: number | null,
  { longest }: Pick<Lifetime, 'longest'>,
  now = Date.now(),
): string | undefined {
  if (expiresAt === null || longest === null) return undefined;
  const last = inDays(longest, now);
  return expiresAt > last ? `must be before ${new Date(last).toISOString().slice(0, 10)}` : undefined;
}

/** The sent day as an instant, or the day so many days from now. */
export function expiryOf(sent: string | undefined, otherwise: number, now = Date.now()): number {
  return sent === undefined ? inDays(otherwise, now) : dayToInstant(sent);
}

/** The same for a token that need not expire: without a day it lives for ever, where that is allowed. */
export function expiryOrNever(sent: string | undefined, { required, longest }: Lifetime): number | null {
  if (sent === undefined && !required && longest === null) return null;
  return expiryOf(sent, longest ?? longestLife);
}
