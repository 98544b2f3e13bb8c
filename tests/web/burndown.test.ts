import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lineChart, scaleFor } from '../../src/web/frame/chart.ts';
import { workByDay } from '../../src/web/planning/burndown.ts';

const event = (created_at: string, action: string, weight = 1) => ({ created_at, action, weight });
const span = { from: '2026-03-02', to: '2026-03-06', today: '2026-03-05', by: 'issues' } as const;
const numbers = (days: ReturnType<typeof workByDay>) => days.map(({ scope, open }) => [scope, open]);

describe('burndown data', () => {
  const events = [
    event('2026-02-20T10:00:00.000Z', 'created', 3),
    event('2026-03-02T00:00:00.000Z', 'created', 2),
    event('2026-03-03T23:59:59.999Z', 'closed', 3),
    event('2026-03-04T08:00:00.000Z', 'created', 1),
    event('2026-03-05T08:00:00.000Z', 'reopened', 3),
    event('2026-03-09T08:00:00.000Z', 'closed', 3),
  ];

  it('counts earlier events on the first day, and ends today', () => {
    const days = workByDay(events, span);
    assert.deepEqual(
      days.map(({ date }) => date),
      ['2026-03-02', '2026-03-03', '2026-03-04', '2026-03-05'],
    );
    assert.deepEqual(numbers(days), [
      [2, 2],
      [2, 1],
      [3, 2],
      [3, 3],
    ]);
  });

  it('counts by weight', () => {
    assert.deepEqual(numbers(workByDay(events, { ...span, by: 'weight' })), [
      [5, 5],
      [5, 2],
      [6, 3],
      [6, 6],
    ]);
  });

  it('ends with the milestone, and is empty before it starts', () => {
    assert.equal(workByDay(events, { ...span, today: '2026-05-01' }).at(-1)?.date, '2026-03-06');
    assert.deepEqual(workByDay(events, { ...span, today: '2026-03-01' }), []);
  });

  it('limits the number of points and includes the last day', () => {
    const days = workByDay(events, { ...span, to: '2126-03-06', today: '2126-03-06' });
    assert.ok(days.length <= 122, `${days.length}`);
    assert.equal(days.at(-1)?.date, '2126-03-06');
  });
});

describe('line chart', () => {
  const cases: readonly (readonly [most: number, top: number, step: number])[] = [
    [0, 1, 1],
    [1, 1, 1],
    [4, 4, 1],
    [5, 6, 2],
    [37, 40, 10],
    [100, 100, 50],
    [99_999, 100_000, 50_000],
  ];
  for (const [most, top, step] of cases)
    it(`scales to ${top} for ${most}`, () => assert.deepEqual(scaleFor(most), { top, step }));

  it('handles a single day, and escapes texts', () => {
    const points = [{ date: '2026-03-02', value: 3 }];
    const { text } = lineChart({
      title: '<b>',
      description: '"x"',
      from: '2026-03-02',
      to: '2026-03-02',
      lines: [{ name: '<i>', style: 'main', points }],
    });
    assert.ok(!/NaN|Infinity|<b>|<i>/.test(text), text);
  });
});
