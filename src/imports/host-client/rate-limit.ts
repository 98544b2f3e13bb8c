import type { IncomingHttpHeaders } from 'node:http';

/** Number of requests left to other users of the same credential. */
const reservedRequests = 50;
const margin = 5000;
const defaultDelayMs = 60_000;

/**
 * Delay before the next request in milliseconds; undefined if none is needed. Missing permissions and rate limits can
 * have the same status, so headers and text decide.
 */
export function rateLimitOf(
  status: number,
  headers: IncomingHttpHeaders,
  text: string,
  now: number,
  reserveRequests = true,
): number | undefined {
  const refused = status === 403 || status === 429;
  const after = Number(headers['retry-after']);
  if (refused && headers['retry-after'] !== undefined && Number.isFinite(after)) return Math.max(after, 1) * 1000;
  const remaining = headers['x-ratelimit-remaining'];
  const reset = Number(headers['x-ratelimit-reset']) * 1000;
  const left = remaining === undefined ? Number.POSITIVE_INFINITY : Number(remaining);
  if (Number.isFinite(reset)) {
    if (refused && left === 0) return Math.max(reset - now, 0) + margin;
    if (reserveRequests && status < 300 && left <= reservedRequests) return Math.max(reset - now, 0) + margin;
  }
  if (status === 429 || (refused && /secondary rate limit/i.test(text))) return defaultDelayMs;
  return undefined;
}
