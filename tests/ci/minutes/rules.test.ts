import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  extraAfter,
  type Limits,
  minutesUsed,
  monthOf,
  secondsAllowed,
  secondsBeyond,
} from '../../../src/ci/minutes/rules.ts';

describe('compute minute limits', () => {
  const cases: [Limits, number][] = [
    [{ own: null, extra: null, instance: 0 }, Number.POSITIVE_INFINITY],
    [{ own: null, extra: 10, instance: 0 }, Number.POSITIVE_INFINITY],
    [{ own: 0, extra: null, instance: 5 }, Number.POSITIVE_INFINITY],
    [{ own: null, extra: null, instance: 5 }, 300],
    [{ own: 2, extra: null, instance: 5 }, 120],
    [{ own: 2, extra: 3, instance: 0 }, 300],
    [{ own: null, extra: 1, instance: 5 }, 360],
  ];
  for (const [limits, seconds] of cases) {
    it(`allow ${seconds} seconds for ${JSON.stringify(limits)}`, () => assert.equal(secondsAllowed(limits), seconds));
  }

  const extra: [number, Limits, ReturnType<typeof minutesUsed>, number | null][] = [
    [59, { own: null, extra: null, instance: 0 }, { total: 0, monthly: 0, extra: 0 }, null],
    [600, { own: null, extra: 5, instance: 0 }, { total: 10, monthly: 10, extra: 0 }, 5],
    [600, { own: 0, extra: 5, instance: 3 }, { total: 10, monthly: 10, extra: 0 }, 5],
    [600, { own: 10, extra: 5, instance: 3 }, { total: 10, monthly: 10, extra: 0 }, 5],
    [659, { own: 10, extra: 5, instance: 3 }, { total: 10, monthly: 10, extra: 0 }, 5],
    [720, { own: null, extra: 5, instance: 10 }, { total: 12, monthly: 10, extra: 2 }, 3],
    [7200, { own: 10, extra: 5, instance: 0 }, { total: 120, monthly: 10, extra: 110 }, 0],
    [7200, { own: 10, extra: 0, instance: 0 }, { total: 120, monthly: 120, extra: 0 }, 0],
    [7200, { own: 10, extra: null, instance: 0 }, { total: 120, monthly: 120, extra: 0 }, null],
  ];
  for (const [seconds, limits, used, left] of extra) {
    it(`leave ${left} extra minutes after ${seconds} used seconds for ${JSON.stringify(limits)}`, () => {
      assert.deepEqual(minutesUsed(seconds, limits), used);
      assert.equal(extraAfter(limits.extra, secondsBeyond(seconds, limits)), left);
    });
  }

  it('count in the month in which a job ended', () => {
    assert.equal(monthOf(Date.UTC(2026, 1, 28, 23, 59, 59, 999)), Date.UTC(2026, 1, 1));
    assert.equal(monthOf(Date.UTC(2026, 2, 1)), Date.UTC(2026, 2, 1));
  });
});
