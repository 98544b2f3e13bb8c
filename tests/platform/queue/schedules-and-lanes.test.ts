import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { backoffMs } from '../../../src/platform/queue/backoff.ts';
import { allot, type Lane, laneName, laneOf, type Room } from '../../../src/platform/queue/lanes.ts';
import { nextRun, type Schedule } from '../../../src/platform/queue/schedule.ts';
import fc from '../../support/properties.ts';

test('the backoff doubles from two seconds to an hour, half of it random', () => {
  const cases: [number, number, number][] = [
    [1, 1000, 2000],
    [2, 2000, 4000],
    [5, 16_000, 32_000],
    [11, 1_024_000, 2_048_000],
    [12, 1_800_000, 3_600_000],
    [200, 1_800_000, 3_600_000],
  ];
  for (const [attempts, least, most] of cases) {
    assert.equal(
      backoffMs(attempts, () => 0),
      least,
    );
    assert.equal(
      backoffMs(attempts, () => 1),
      most,
    );
  }
});

describe('schedules', () => {
  const at = (text: string) => Date.parse(text);
  const cases: [Schedule, string, string][] = [
    [{ everyMs: 60_000 }, '2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z'],
    [{ everyMs: 60_000 }, '2026-01-01T00:00:59.999Z', '2026-01-01T00:01:00Z'],
    [{ everyMs: 6 * 3_600_000 }, '2026-01-01T07:00:00Z', '2026-01-01T12:00:00Z'],
    [{ minute: 17 }, '2026-01-01T10:16:59Z', '2026-01-01T10:17:00Z'],
    [{ minute: 17 }, '2026-01-01T10:17:00Z', '2026-01-01T11:17:00Z'],
    [{ minute: 30, hour: 2 }, '2026-02-28T02:30:00Z', '2026-03-01T02:30:00Z'],
    [{ minute: 30, hour: 2 }, '2026-02-28T02:29:00Z', '2026-02-28T02:30:00Z'],
    [{ minute: 0, hour: 4, weekday: 0 }, '2026-01-01T00:00:00Z', '2026-01-04T04:00:00Z'],
    [{ minute: 0, hour: 4, weekday: 0 }, '2026-01-04T04:00:00Z', '2026-01-11T04:00:00Z'],
    [{ minute: 59, hour: 23, weekday: 6 }, '2026-01-01T00:00:00Z', '2026-01-03T23:59:00Z'],
  ];

  test('compute the next time', () => {
    for (const [schedule, after, expected] of cases) {
      const label = `${JSON.stringify(schedule)} after ${after}`;
      assert.equal(new Date(nextRun(schedule, at(after))).toISOString(), new Date(expected).toISOString(), label);
    }
  });

  test('the next time is the first one after the given time', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 4e12 }),
        fc.nat(59),
        fc.nat(23),
        fc.nat(6),
        (after, minute, hour, weekday) => {
          const schedule = { minute, hour, weekday };
          const next = nextRun(schedule, after);
          const date = new Date(next);
          assert.deepEqual([date.getUTCMinutes(), date.getUTCHours(), date.getUTCDay()], [minute, hour, weekday]);
          assert.ok(next > after && nextRun(schedule, next - 1) === next);
        },
      ),
    );
  });

  test('invalid schedules are rejected', () => {
    const wrong: Schedule[] = [
      { everyMs: 0 },
      { everyMs: -5 },
      { everyMs: Number.NaN },
      { minute: 60 },
      { minute: -1 },
      { minute: 0.5 },
      { minute: 0, hour: 24 },
      { minute: 0, hour: 1, weekday: 7 },
      { minute: 0, weekday: 1 },
    ];
    for (const schedule of wrong) assert.throws(() => nextRun(schedule, 0), RangeError, JSON.stringify(schedule));
  });
});

describe('allotting slots to lanes', () => {
  const lane = (kind: string, priority = 0, runAt = 0): Lane => ({
    name: laneName(kind, priority),
    kind,
    priority,
    runAt,
  });
  const room = (total: number, each: Record<string, number>, served: Record<string, number> = {}): Room => ({
    total,
    of: (kind) => each[kind] ?? 0,
    lastServed: (kind) => served[kind] ?? 0,
  });
  const shares = (lanes: Lane[], within: Room) => Object.fromEntries(allot(lanes, within));

  test('distributes slots round-robin', () => {
    const lanes = [lane('a'), lane('b'), lane('c')];
    assert.deepEqual(shares(lanes, room(7, { a: 9, b: 9, c: 9 })), { 'a/0': 3, 'b/0': 2, 'c/0': 2 });
    assert.deepEqual(shares(lanes, room(7, { a: 1, b: 9, c: 2 })), { 'a/0': 1, 'b/0': 4, 'c/0': 2 });
    assert.deepEqual(shares(lanes, room(7, { a: 1, b: 1, c: 0 })), { 'a/0': 1, 'b/0': 1 });
  });

  test('allots nothing without free slots or lanes', () => {
    assert.deepEqual(shares([lane('a')], room(0, { a: 5 })), {});
    assert.deepEqual(shares([lane('a')], room(-1, { a: 5 })), {});
    assert.deepEqual(shares([], room(5, {})), {});
  });

  test('prefers higher priorities, then the kind that waited longest, then the older job', () => {
    const one = (lanes: Lane[], served = {}) => Object.keys(shares(lanes, room(1, { a: 1, b: 1 }, served)));
    assert.deepEqual(one([lane('a', 0), lane('b', 5)]), ['b/5']);
    assert.deepEqual(one([lane('a', -5), lane('a', 0)]), ['a/0']);
    assert.deepEqual(one([lane('a'), lane('b')], { a: 2, b: 1 }), ['b/0']);
    assert.deepEqual(one([lane('a', 0, 9), lane('b', 0, 3)]), ['b/0']);
  });

  test('limits the lanes of a kind together', () => {
    assert.deepEqual(shares([lane('a', 1), lane('a', 0)], room(9, { a: 2 })), { 'a/1': 1, 'a/0': 1 });
  });

  test('lane names are parsed', () => {
    for (const [kind, priority] of [
      ['mail', 0],
      ['recurring.a/b', -3],
    ] as const) {
      assert.deepEqual(laneOf(laneName(kind, priority), 7), lane(kind, priority, 7));
    }
  });
});
