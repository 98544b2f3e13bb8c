import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rateLimitOf } from '../../../src/imports/host-client/rate-limit.ts';

describe('how long another host wants to be left alone', () => {
  const now = 1_000_000;
  const reset = String(now / 1000 + 60);
  const table: [string, number, Record<string, string>, string, number | undefined][] = [
    ['not at all after a success', 200, {}, '', undefined],
    ['as long as it says', 403, { 'retry-after': '7' }, '', 7000],
    ['until its limit is reset', 403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset }, '', 65_000],
    [
      'before the last requests are used up',
      200,
      { 'x-ratelimit-remaining': '50', 'x-ratelimit-reset': reset },
      '',
      65_000,
    ],
    ['not while many are left', 200, { 'x-ratelimit-remaining': '51', 'x-ratelimit-reset': reset }, '', undefined],
    ['a minute where only the text tells', 403, {}, 'You have exceeded a secondary rate limit', 60_000],
    [
      'not for want of rights',
      403,
      { 'x-ratelimit-remaining': '4000', 'x-ratelimit-reset': reset },
      'denied',
      undefined,
    ],
    ['a minute after 429 without a word', 429, {}, '', 60_000],
  ];
  for (const [name, status, headers, text, expected] of table) {
    it(name, () => assert.equal(rateLimitOf(status, headers, text, now), expected));
  }
});
