import { Invalid } from '../../platform/http/errors.ts';
import { dayToInstant } from '../../platform/http/schema.ts';

const dayMs = 86_400_000;

/**
 * Parses the expiry date of a membership, invitation or share, which ends at the start of that day. Today is accepted,
 * and expires immediately.
 */
export function readExpiry(day: string | null | undefined, now = Date.now()): number | null {
  if (day == null) return null;
  const at = dayToInstant(day);
  if (at < now - (now % dayMs)) throw new Invalid({ expires_at: ['cannot be a date in the past'] });
  return at;
}
