import type { Services } from '../../access/services.ts';
import { TooManyRequests } from '../../platform/http/errors.ts';
import type { Rate } from '../../platform/http/server/rate-limits.ts';

/** Counts a request against its own rate limit, which answers with a custom text and without a Retry-After. */
export async function enforceRateLimit(
  { limits }: Services,
  name: string,
  key: string,
  rate: Rate | undefined,
  text: string,
): Promise<void> {
  if (rate === undefined) return;
  const { exceeded } = await limits.count(name, key, rate);
  if (exceeded) throw new TooManyRequests(undefined, text);
}
