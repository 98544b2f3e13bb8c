import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isFrozen, problemsOf } from '../../../src/ci/freeze-periods/timing.ts';

const never = '0 0 31 2 *';
const cases: readonly (readonly [start: string, end: string, zone: string, now: string, frozen: boolean])[] = [
  ['0 23 * * 5', '0 7 * * 1', 'UTC', '2026-01-02T22:59:59', false],
  ['0 23 * * 5', '0 7 * * 1', 'UTC', '2026-01-02T23:00', true],
  ['0 23 * * 5', '0 7 * * 1', 'UTC', '2026-01-04T12:00', true],
  ['0 23 * * 5', '0 7 * * 1', 'UTC', '2026-01-05T06:59:59.999', true],
  ['0 23 * * 5', '0 7 * * 1', 'UTC', '2026-01-05T07:00', false],
  ['0 23 * * 5', '0 7 * * 1', 'UTC', '2026-01-07T12:00', false],
  ['0 23 * * 5', '0 7 * * 1', 'Europe/Berlin', '2026-01-02T22:30', true],
  ['0 23 * * 5', '0 7 * * 1', 'America/New_York', '2026-01-03T03:30', false],
  ['0 0 20 12 *', '0 0 2 1 *', 'UTC', '2026-01-01T12:00', true],
  ['0 0 20 12 *', '0 0 2 1 *', 'UTC', '2026-06-01T12:00', false],
  // Daylight saving time ends at two, so half past one occurs twice.
  ['30 1 * * *', '0 5 * * *', 'America/New_York', '2026-11-01T06:10', true],
  ['* * * * *', never, 'UTC', '2026-01-01T00:00', true],
  [never, '* * * * *', 'UTC', '2026-01-01T00:00', false],
  ['0 0 * * *', '0 0 * * *', 'UTC', '2026-01-01T12:00', true],
];

describe('freeze period schedules', () => {
  for (const [freeze_start, freeze_end, cron_timezone, now, frozen] of cases) {
    it(`${freeze_start} to ${freeze_end} in ${cron_timezone} at ${now}`, () => {
      assert.equal(isFrozen({ freeze_start, freeze_end, cron_timezone }, Date.parse(`${now}Z`)), frozen);
    });
  }

  it('report invalid attributes', () => {
    const right = { freeze_start: '0 1 * * *', freeze_end: '@daily', cron_timezone: 'Berlin' };
    assert.equal(problemsOf(right), null);
    const wrong = { freeze_start: ' ', freeze_end: 'later', cron_timezone: 'Nowhere' };
    assert.deepEqual(problemsOf(wrong), {
      freeze_start: ["can't be blank"],
      freeze_end: ['syntax is invalid'],
      cron_timezone: ['syntax is invalid'],
    });
  });
});
