import type { ApplicationSettings } from '../../access/application-settings/list.ts';
import type { User } from '../../access/tables.ts';
import { dayToInstant } from '../../platform/http/schema.ts';

const day = 86_400_000;

/** Default maximum and default lifetime of a token in days. */
export const longestLife = 365;
/** Default lifetime of a rotated token in days. */
export const rotatedLife = 7;

/** Limits of token lifetimes. */
export interface Lifetime {
  /** Whether an expiry date is required. */
  readonly required: boolean;
  /** Maximum in days; null if unlimited. */
  readonly longest: number | null;
}

/** Returns the limits configured for the instance. */
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

/** Start of the current day in UTC; a token expires at the start of its day. */
export function today(now = Date.now()): number {
  return Math.floor(now / day) * day;
}

/** Start of the day this number of days from now. */
export function inDays(days: number, now = Date.now()): number {
  return today(now) + days * day;
}

/** Validates an expiry date; returns the error or undefined. */
export function expiryProblem(
  expiresAt: number | null,
  { longest }: Pick<Lifetime, 'longest'>,
  now = Date.now(),
): string | undefined {
  if (expiresAt === null || longest === null) return undefined;
  const last = inDays(longest, now);
  return expiresAt > last ? `must be before ${new Date(last).toISOString().slice(0, 10)}` : undefined;
}

/** Returns the requested expiry date, or the day a number of days from now. */
export function expiryOf(sent: string | undefined, otherwise: number, now = Date.now()): number {
  return sent === undefined ? inDays(otherwise, now) : dayToInstant(sent);
}

/** Returns the expiry date of a token that may be allowed not to expire; null for no expiry. */
export function expiryOrNever(sent: string | undefined, { required, longest }: Lifetime): number | null {
  if (sent === undefined && !required && longest === null) return null;
  return expiryOf(sent, longest ?? longestLife);
}
