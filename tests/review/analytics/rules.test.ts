import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readQuestion } from '../../../src/review/analytics/rules.ts';

const now = Date.UTC(2026, 4, 31, 13);
const ask = (more: Record<string, unknown> = {}) =>
  readQuestion({ metric: 'deployment_frequency', interval: 'daily', ...more }, now);
const dates = (more: Record<string, unknown>) => ask(more).buckets.map(({ date }) => date);

describe('metric requests', () => {
  it('default to three months, limited to the last day of a shorter month', () => {
    const found = dates({});
    assert.deepEqual([found[0], found.at(-1), found.length], ['2026-02-28', '2026-05-31', 93]);
  });

  it('yield intervals by day, by month, or the whole range', () => {
    const range = { start_date: '2026-01-30', end_date: '2026-03-01' };
    assert.deepEqual(dates({ ...range, end_date: '2026-02-01' }), ['2026-01-30', '2026-01-31', '2026-02-01']);
    assert.deepEqual(dates({ ...range, interval: 'monthly' }), ['2026-01-01', '2026-02-01', '2026-03-01']);
    assert.deepEqual(ask({ ...range, interval: 'all' }).buckets, [
      { date: null, from: Date.UTC(2026, 0, 30), until: Date.UTC(2026, 2, 2) },
    ]);
    // Contiguous, and limited to the range.
    const { buckets } = ask({ ...range, interval: 'monthly' });
    assert.deepEqual(
      buckets.map(({ from, until }) => [from, until]),
      [
        [Date.UTC(2026, 0, 30), Date.UTC(2026, 1, 1)],
        [Date.UTC(2026, 1, 1), Date.UTC(2026, 2, 1)],
        [Date.UTC(2026, 2, 1), Date.UTC(2026, 2, 2)],
      ],
    );
  });

  const wrong: [Record<string, unknown>, string][] = [
    [
      { metric: 'luck' },
      'The metric must be one of deployment_frequency, lead_time_for_changes, time_to_restore_service, change_failure_rate.',
    ],
    [{ interval: 'weekly' }, 'The interval must be one of all, monthly, daily.'],
    [
      { environment_tiers: ['production', 'moon'] },
      'The environment tiers must be from production, staging, testing, development, other.',
    ],
    [{ environment_tiers: [] }, 'The environment tiers must be from production, staging, testing, development, other.'],
    [{ start_date: '2026-05-02', end_date: '2026-05-01' }, 'The start date must be earlier than the end date.'],
    [{ start_date: '2025-05-30' }, 'Date range must be shorter than 365 days.'],
  ];
  for (const [requested, message] of wrong) {
    it(`reject ${JSON.stringify(requested)}`, () => {
      assert.throws(() => ask(requested), { status: 400, message: new RegExp(message) });
    });
  }

  it('accept a year and a single day', () => {
    assert.equal(dates({ start_date: '2025-05-31' }).length, 366);
    assert.deepEqual(dates({ start_date: '2026-05-31' }), ['2026-05-31']);
  });
});
