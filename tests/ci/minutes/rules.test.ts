import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Limits, monthOf, secondsAllowed } from '../../../src/ci/minutes/rules.ts';

describe('minutes on runners of the instance', () => {
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

  it('are of the month in which a job ended', () => {
    assert.equal(monthOf(Date.UTC(2026, 1, 28, 23, 59, 59, 999)), Date.UTC(2026, 1, 1));
    assert.equal(monthOf(Date.UTC(2026, 2, 1)), Date.UTC(2026, 2, 1));
  });
});
