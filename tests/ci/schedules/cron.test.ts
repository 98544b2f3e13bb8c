import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseCron } from '../../../src/ci/schedules/cron/cron.ts';
import { nextRun } from '../../../src/ci/schedules/cron/next-run.ts';
import { previousRun } from '../../../src/ci/schedules/cron/previous-run.ts';
import { railsTimeZones } from '../../../src/ci/schedules/cron/rails-time-zones.ts';
import { timeZoneOf } from '../../../src/ci/schedules/cron/time-zone.ts';

/** The next `count` runs in UTC, to the minute. */
function runs(cron: string, zone: string, after: string, count = 1): string {
  const parsed = parseCron(cron);
  assert.ok(parsed);
  const found: string[] = [];
  let now: number | null = Date.parse(`${after}Z`);
  while (found.length < count && now !== null) {
    now = nextRun(parsed, timeZoneOf(zone) ?? assert.fail(zone), now);
    found.push(now === null ? 'never' : new Date(now).toISOString().slice(0, 16));
  }
  return found.join(' ');
}

const cases: readonly (readonly [cron: string, zone: string, after: string, runs: string])[] = [
  ['* * * * *', 'UTC', '2026-01-01T00:00:30', '2026-01-01T00:01 2026-01-01T00:02'],
  ['0 0 * * *', 'UTC', '2026-01-01T00:00', '2026-01-02T00:00'],
  ['0 0 * * *', 'UTC', '2025-12-31T23:59:59.999', '2026-01-01T00:00'],
  ['*/15 * * * *', 'UTC', '2026-01-01T00:07', '2026-01-01T00:15 2026-01-01T00:30'],
  ['5/20 * * * *', 'UTC', '2026-01-01T00:00', '2026-01-01T00:05 2026-01-01T00:25 2026-01-01T00:45 2026-01-01T01:05'],
  ['0 9-17/4 * * *', 'UTC', '2026-01-01T00:00', '2026-01-01T09:00 2026-01-01T13:00 2026-01-01T17:00 2026-01-02T09:00'],
  ['0 22-2 * * *', 'UTC', '2026-01-01T12:00', '2026-01-01T22:00 2026-01-01T23:00 2026-01-02T00:00 2026-01-02T01:00'],
  ['0 4 * * 1-5', 'UTC', '2026-01-02T12:00', '2026-01-05T04:00'],
  ['0 4 * * sun', 'UTC', '2026-01-02T12:00', '2026-01-04T04:00'],
  ['0 4 * * 7', 'UTC', '2026-01-02T12:00', '2026-01-04T04:00'],
  ['0 4 * * 5-7', 'UTC', '2026-01-02T12:00', '2026-01-03T04:00 2026-01-04T04:00 2026-01-09T04:00'],
  ['0 4 * * fri-mon', 'UTC', '2026-01-02T12:00', '2026-01-03T04:00 2026-01-04T04:00 2026-01-05T04:00 2026-01-09T04:00'],
  [
    '0 4 1 * 1',
    'UTC',
    '2026-01-02T12:00',
    '2026-01-05T04:00 2026-01-12T04:00 2026-01-19T04:00 2026-01-26T04:00 2026-02-01T04:00',
  ],
  ['0 4 * * 1#1', 'UTC', '2026-01-06T12:00', '2026-02-02T04:00'],
  ['0 4 * * fri#l', 'UTC', '2026-01-06T12:00', '2026-01-30T04:00'],
  ['0 4 l * *', 'UTC', '2026-02-01T00:00', '2026-02-28T04:00 2026-03-31T04:00'],
  ['0 4 29 feb *', 'UTC', '2026-01-01T00:00', '2028-02-29T04:00'],
  ['0 4 29 2 *', 'UTC', '2096-03-01T00:00', '2104-02-29T04:00'],
  ['0 4 31 2 *', 'UTC', '2026-01-01T00:00', 'never'],
  ['@monthly', 'UTC', '2026-01-15T00:00', '2026-02-01T00:00'],
  ['@hourly', 'UTC', '2026-01-15T00:10', '2026-01-15T01:00'],
  ['0 12 * * *', 'Asia/Kolkata', '2026-01-01T00:00', '2026-01-01T06:30'],
  ['0 0 * * *', 'Pacific/Auckland', '2026-07-01T00:00', '2026-07-01T12:00'],
  ['0 8 * * *', 'Pacific Time (US & Canada)', '2026-01-01T00:00', '2026-01-01T16:00'],
  // Clock changes in New York: forward from 2:00 to 3:00 on 8 March, back from 2:00 to 1:00 on 1 November.
  ['30 2 * * *', 'America/New_York', '2026-03-07T12:00', '2026-03-08T07:30 2026-03-09T06:30'],
  ['0 9 * * *', 'America/New_York', '2026-03-07T15:00', '2026-03-08T13:00'],
  ['30 1 * * *', 'America/New_York', '2026-10-31T12:00', '2026-11-01T05:30 2026-11-02T06:30'],
  ['30 * * * *', 'America/New_York', '2026-11-01T04:45', '2026-11-01T05:30 2026-11-01T06:30 2026-11-01T07:30'],
  ['30 * * * *', 'America/New_York', '2026-03-08T05:45', '2026-03-08T06:30 2026-03-08T07:30'],
  ['0 0 * * *', 'America/Sao_Paulo', '2018-11-03T12:00', '2018-11-04T03:00 2018-11-05T02:00'],
  ['15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T00:00', '2026-10-03T15:45 2026-10-04T15:15'],
];

const invalid: readonly string[] = [
  '',
  '*',
  '* * * *',
  '* * * * * *',
  '60 * * * *',
  '* 25 * * *',
  '* * 0 * *',
  '* * 32 * *',
  '* * * 13 *',
  '* * * foo *',
  '* * * * 8',
  '* * * * mon#6',
  '* * * * mon#0',
  '*/0 * * * *',
  '1- * * * *',
  '1,,2 * * * *',
  '-5 * * * *',
  'a * * * *',
  '@sometimes',
  'every day at noon',
  '0 0 * * * Europe/Berlin',
  '*'.repeat(300),
];

describe('cron expressions', () => {
  for (const [cron, zone, after, expected] of cases) {
    it(`${cron} in ${zone} after ${after}`, () => {
      assert.equal(runs(cron, zone, after, expected.split(' ').length), expected);
    });
  }
  for (const text of invalid)
    it(`${JSON.stringify(text.slice(0, 30))} is rejected`, () => assert.equal(parseCron(text), null));

  it('accepts tz database and Rails time zone names', () => {
    for (const [name, zone] of railsTimeZones) assert.ok(timeZoneOf(name), `${name}: ${zone}`);
    assert.equal(timeZoneOf('Europe/Berlin'), 'Europe/Berlin');
    assert.deepEqual(['Berlin', 'UTC', 'Nowhere', '', '+02:00', 'x'.repeat(99)].map(timeZoneOf), [
      'Europe/Berlin',
      'UTC',
      null,
      null,
      null,
      null,
    ]);
  });

  it('finds the previous run, also around clock changes', () => {
    const around: readonly (readonly [cron: string, zone: string, from: string])[] = [
      ['*/20 * * * *', 'America/New_York', '2026-03-08T05:00Z'],
      ['*/20 * * * *', 'America/New_York', '2026-11-01T04:00Z'],
      ['10,40 1-3 * * *', 'America/New_York', '2026-03-07T00:00Z'],
      ['10,40 1-3 * * *', 'America/New_York', '2026-10-31T00:00Z'],
      ['30 2 * * 0,1', 'Australia/Lord_Howe', '2026-10-02T00:00Z'],
      ['0 4 * * *', 'Asia/Kolkata', '2026-10-30T00:00Z'],
    ];
    for (const [text, zone, from] of around) {
      const cron = parseCron(text) ?? assert.fail(text);
      let last = nextRun(cron, zone, Date.parse(from)) ?? 0;
      for (let step = 0; step < 12; step++) {
        const next = nextRun(cron, zone, last) ?? 0;
        const message = `${text} in ${zone} at ${new Date(last).toISOString()}`;
        assert.equal(previousRun(cron, zone, last), last, message);
        assert.equal(previousRun(cron, zone, next - 1), last, message);
        last = next;
      }
    }
    assert.equal(previousRun(parseCron('0 4 31 2 *') ?? assert.fail(), 'UTC', 0), null);
    const leap = previousRun(parseCron('0 4 29 2 *') ?? assert.fail(), 'UTC', Date.parse('2026-01-01T00:00Z'));
    assert.equal(leap, Date.parse('2024-02-29T04:00Z'));
  });

  it('always moves forward', () => {
    const cron = parseCron('*/7 1-3 * * *');
    assert.ok(cron);
    let now = Date.parse('2026-10-30T00:00Z');
    for (let step = 0; step < 200; step++) {
      const next: number = nextRun(cron, 'America/New_York', now) ?? 0;
      assert.ok(next > now, new Date(now).toISOString());
      now = next;
    }
  });
});
