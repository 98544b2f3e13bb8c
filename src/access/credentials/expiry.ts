import { Invalid } from '../../platform/http/errors.ts';
import { dayToInstant } from '../../platform/http/schema.ts';

const dayMs = 86_400_000;

/**
 * When a membership, an invitation or a share ends: at the start of the day that was named. Today is not refused, and
 * ends at once.
 */
export function readExpiry(day: string | null | undefined, now = Date.now()): number | null {
  if (day == null) return null;
  const at = dayToInstant(day);
  if (at < now - (now % dayMs)) throw new Invalid({ expires_at: ['cannot be a date in the past'] });
  return at;
}
