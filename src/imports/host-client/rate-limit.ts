import type { IncomingHttpHeaders } from 'node:http';

/** So many requests are left to those who use the same credential. */
const spared = 50;
const margin = 5000;
const withoutWord = 60_000;

/**
 * How long to wait before the next request, in milliseconds, after an answer; undefined when there is no need. A refusal
 * for want of rights has the same status as one for want of patience: only the headers and the text tell.
 */
export function rateLimitOf(
  status: number,
  headers: IncomingHttpHeaders,
  text: string,
  now: number,
  heedRemaining = true,
): number | undefined {
  const refused = status === 403 || status === 429;
  const after = Number(headers['retry-after']);
  if (refused && headers['retry-after'] !== undefined && Number.isFinite(after)) return Math.max(after, 1) * 1000;
  const remaining = headers['x-ratelimit-remaining'];
  const reset = Number(headers['x-ratelimit-reset']) * 1000;
  const left = remaining === undefined ? Number.POSITIVE_INFINITY : Number(remaining);
  if (Number.isFinite(reset)) {
    if (refused && left === 0) return Math.max(reset - now, 0) + margin;
    if (heedRemaining && status < 300 && left <= spared) return Math.max(reset - now, 0) + margin;
  }
  if (status === 429 || (refused && /secondary rate limit/i.test(text))) return withoutWord;
  return undefined;
}
