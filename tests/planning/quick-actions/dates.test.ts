import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseDay, shortDay } from '../../../src/planning/quick-actions/dates.ts';

// A Wednesday.
const today = '2026-01-28';

describe('parsing of dates', () => {
  const read: readonly (readonly [string, string])[] = [
    ['2026-02-03', '2026-02-03'],
    ['2026/2/3', '2026-02-03'],
    ['2026-02-03T10:00:00Z', '2026-02-03'],
    ['2/3/2026', '2026-02-03'],
    ['today', '2026-01-28'],
    ['Tomorrow', '2026-01-29'],
    ['yesterday', '2026-01-27'],
    ['in 2 days', '2026-01-30'],
    ['in a week', '2026-02-04'],
    ['in two weeks', '2026-02-11'],
    ['in 1 month', '2026-02-28'],
    ['in a year', '2027-01-28'],
    ['3 days from now', '2026-01-31'],
    ['next week', '2026-02-04'],
    ['next month', '2026-02-28'],
    ['friday', '2026-01-30'],
    ['this Fri', '2026-01-30'],
    ['next wednesday', '2026-02-04'],
    ['on monday', '2026-02-02'],
    ['December 31st', '2026-12-31'],
    ['Dec 31, 2027', '2027-12-31'],
    ['31 december 2027', '2027-12-31'],
    ['31st of December', '2026-12-31'],
    ['January 5', '2027-01-05'],
  ];
  for (const [text, day] of read) it(`reads ${text} as ${day}`, () => assert.equal(parseDay(text, today), day));

  const refused = ['', 'soon', '2026-02-30', '2026-13-01', '13/13/2026', 'in days', 'in 99999 years', 'in x days'];
  for (const text of [...refused, '2 days', 'foo 31', 'Feb 31 2026', 'de 3', '0000-01-01', 'a'.repeat(1e6)]) {
    it(`rejects ${JSON.stringify(text.slice(0, 20))}`, () => assert.equal(parseDay(text, today), undefined));
  }

  it('formats a date', () => assert.equal(shortDay('2025-01-05'), 'Jan 5, 2025'));
});
