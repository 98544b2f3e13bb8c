import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RateLimited } from '../../../src/imports/host-client/client.ts';
import { rateLimitOf } from '../../../src/imports/host-client/rate-limit.ts';

describe('rate limit delay', () => {
  const now = 1_000_000;
  const reset = String(now / 1000 + 60);
  const table: [string, number, Record<string, string>, string, number | undefined][] = [
    ['is not needed after a success', 200, {}, '', undefined],
    ['follows Retry-After', 403, { 'retry-after': '7' }, '', 7000],
    ['lasts until the limit is reset', 403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset }, '', 65_000],
    [
      'starts before the last requests are used up',
      200,
      { 'x-ratelimit-remaining': '50', 'x-ratelimit-reset': reset },
      '',
      65_000,
    ],
    [
      'is not needed while many requests are left',
      200,
      { 'x-ratelimit-remaining': '51', 'x-ratelimit-reset': reset },
      '',
      undefined,
    ],
    ['is a minute if only the text mentions the limit', 403, {}, 'You have exceeded a secondary rate limit', 60_000],
    [
      'is not applied to missing permissions',
      403,
      { 'x-ratelimit-remaining': '4000', 'x-ratelimit-reset': reset },
      'denied',
      undefined,
    ],
    ['is a minute for 429 without headers', 429, {}, '', 60_000],
  ];
  for (const [name, status, headers, text, expected] of table) {
    it(name, () => assert.equal(rateLimitOf(status, headers, text, now), expected));
  }

  it('is a whole number of milliseconds and at most a day', () => {
    const day = 24 * 60 * 60_000;
    for (const [asked, waited] of [
      [500.2, 501],
      [7000, 7000],
      [day, day],
      [1e300, day],
    ] as const) {
      assert.equal(new RateLimited(asked).waitMs, waited);
    }
  });
});
