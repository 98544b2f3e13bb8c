import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatDuration, parseDuration } from '../../../src/planning/time-tracking/duration.ts';

const HOUR = 3600;
const DAY = 8 * HOUR;
const WEEK = 5 * DAY;
const MONTH = 4 * WEEK;

describe('parsing of durations', () => {
  const read: readonly (readonly [string, number])[] = [
    ['1mo 2w 3d 4h 5m', MONTH + 2 * WEEK + 3 * DAY + 4 * HOUR + 300],
    ['1mo', 576_000],
    ['1w', 144_000],
    ['1d', 28_800],
    ['1y', 31_557_600],
    ['1w2d3h', WEEK + 2 * DAY + 3 * HOUR],
    ['3H 30M', 3 * HOUR + 1800],
    ['1.5h', 5400],
    ['.5h', 1800],
    ['0.0001h', 0],
    ['  2h  ', 2 * HOUR],
    ['2 hours and 5 minutes', 2 * HOUR + 300],
    ['1 week, 2 days, plus 1 hr', WEEK + 2 * DAY + HOUR],
    ['two hours', 2 * HOUR],
    ['twenty-five minutes', 25 * 60],
    ['one hundred minutes', 6000],
    ['two hundred and thirty minutes', 230 * 60],
    ['day', DAY],
    ['week 2 days', WEEK + 2 * DAY],
    ['3', 3 * HOUR],
    ['1h 30', 31 * HOUR],
    ['three', 3 * HOUR],
    ['0', 0],
    ['0h', 0],
    ['3:30', 210],
    ['4:01:01', 4 * HOUR + 61],
    ['-1h', -HOUR],
    ['-1h 30m', -(HOUR + 1800)],
    ['- 1h', -HOUR],
    ['-0h', 0],
    ['30s', 30],
  ];
  for (const [text, seconds] of read) {
    it(`reads ${JSON.stringify(text)} as ${seconds} seconds`, () => assert.equal(parseDuration(text), seconds));
  }

  const refused = [
    '',
    '   ',
    '-',
    'and',
    ',',
    'soon',
    '1h soon',
    '1q',
    '1h -30m',
    '--1h',
    '+1h',
    '1 2h',
    'five 2h',
    'two three hours',
    '1:2:3:4',
    '1:',
    '1e3h',
    '0x10h',
    '1,5h',
    '1.5.5h',
    'NaN',
    'Infinity',
    '99999y',
    '9'.repeat(400),
    `${'1h '.repeat(100_000)}`,
  ];
  for (const text of refused) {
    it(`rejects ${JSON.stringify(text.slice(0, 30))}`, () => assert.equal(parseDuration(text), undefined));
  }
});

describe('formatting of durations', () => {
  const written: readonly (readonly [number, string | null])[] = [
    [0, null],
    [0.4, null],
    [59, '59s'],
    [60, '1m'],
    [277_200, '1w 4d 5h'],
    [MONTH + WEEK, '1mo 1w'],
    [3 * HOUR + 61, '3h 1m 1s'],
    [-HOUR, '-1h'],
    [-(DAY + 60), '-1d 1m'],
    [31_557_600, '1y'],
    [40_000_000, '69mo 1w 3d 7h 6m 40s'],
  ];
  for (const [seconds, text] of written) {
    it(`formats ${seconds} seconds as ${text}`, () => assert.equal(formatDuration(seconds), text));
  }

  it('uses hours at most if configured', () => {
    assert.equal(formatDuration(178_800, { hoursOnly: true }), '49h 40m');
    assert.equal(formatDuration(-MONTH, { hoursOnly: true }), '-160h');
  });

  it('is the inverse of parsing', () => {
    for (let seconds = 1; seconds < 3 * MONTH; seconds += 7919) {
      assert.equal(parseDuration(formatDuration(seconds) ?? ''), seconds);
      assert.equal(parseDuration(formatDuration(-seconds, { hoursOnly: true }) ?? ''), -seconds);
    }
  });
});
