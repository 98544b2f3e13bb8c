import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { missingPeriods, stateOn } from '../../../src/planning/iterations/periods.ts';

describe('iterations of a cadence', () => {
  const cadence = { start_date: '2026-01-05', duration_in_weeks: 2, iterations_in_advance: 2 };
  const spans = (made: number, today: string) =>
    missingPeriods(cadence, made, today).map(({ sequence, start_date, due_date }) => [sequence, start_date, due_date]);

  it('are contiguous, up to today and in advance', () => {
    assert.deepEqual(spans(0, '2026-01-20'), [
      [1, '2026-01-05', '2026-01-18'],
      [2, '2026-01-19', '2026-02-01'],
      [3, '2026-02-02', '2026-02-15'],
      [4, '2026-02-16', '2026-03-01'],
    ]);
  });
  it('are all upcoming before the cadence starts', () => assert.equal(spans(0, '2026-01-01').length, 2));
  it('are added over time', () => {
    assert.deepEqual(spans(4, '2026-02-01'), []);
    assert.deepEqual(spans(4, '2026-02-02'), [[5, '2026-03-02', '2026-03-15']]);
  });
  it('are limited in number', () => assert.equal(spans(0, '2999-01-01').length, 200));

  const states: [string, number][] = [
    ['2026-01-04', 1],
    ['2026-01-05', 2],
    ['2026-01-18', 2],
    ['2026-01-19', 3],
  ];
  for (const [day, state] of states) {
    it(`have state ${state} on ${day}`, () =>
      assert.equal(stateOn({ start_date: '2026-01-05', due_date: '2026-01-18' }, day), state));
  }
});
