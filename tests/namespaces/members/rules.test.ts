import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readExpiry } from '../../../src/access/credentials/expiry.ts';
import { isLevelOf, mayGrant } from '../../../src/namespaces/members/rules.ts';
import { errorText, joinWords } from '../../../src/namespaces/members/wording.ts';
import { Conflict, Forbidden, Invalid, NotFound } from '../../../src/platform/http/errors.ts';

const levels = [5, 10, 15, 20, 30, 40, 50];

describe('granting roles', () => {
  const table: [string, { admin: boolean; level: number }, number[]][] = [
    ['lets administrators grant all levels', { admin: true, level: 0 }, levels],
    ['lets Owners grant all levels', { admin: false, level: 50 }, levels],
    ['lets Maintainers grant levels up to theirs except Planner', { admin: false, level: 40 }, [5, 10, 20, 30, 40]],
    ['lets Planners grant levels up to theirs', { admin: false, level: 15 }, [5, 10, 15]],
    ['lets users without a role grant nothing', { admin: false, level: 0 }, []],
  ];
  for (const [name, granter, granted] of table) {
    it(name, () => {
      assert.deepEqual(
        levels.filter((level) => mayGrant(granter, level)),
        granted,
      );
    });
  }
});

describe('access levels by kind of resource', () => {
  const ladder = [10, 15, 20, 30, 40, 50];
  const table = { project: ladder, subgroup: ladder, 'top-level group': [5, ...ladder] } as const;
  for (const [kind, known] of Object.entries(table)) {
    it(kind, () => {
      const all = Array.from({ length: 62 }, (_, index) => index - 1);
      assert.deepEqual(
        all.filter((level) => isLevelOf(level, kind as keyof typeof table)),
        known,
      );
    });
  }
});

describe('expiry dates', () => {
  const now = Date.parse('2026-03-15T12:34:56Z');
  const table: [string | null | undefined, number | null | 'refused'][] = [
    [undefined, null],
    [null, null],
    ['2026-03-14', 'refused'],
    ['2026-03-15', Date.parse('2026-03-15T00:00:00Z')],
    ['2026-03-16', Date.parse('2026-03-16T00:00:00Z')],
  ];
  for (const [day, expected] of table) {
    it(`${day}`, () => {
      if (expected !== 'refused') return assert.equal(readExpiry(day, now), expected);
      assert.throws(() => readExpiry(day, now), new Invalid({ expires_at: ['cannot be a date in the past'] }));
    });
  }
});

describe('error sentences', () => {
  it('join messages', () => {
    assert.equal(joinWords(['a']), 'a');
    assert.equal(joinWords(['a', 'b']), 'a and b');
    assert.equal(joinWords(['a', 'b', 'c']), 'a, b, and c');
  });

  const table: [Parameters<typeof errorText>[0], string][] = [
    [new Invalid({ access_level: ['is not included in the list'] }), 'Access level is not included in the list'],
    [new Invalid({ user_id: ['x'], expires_at: ['y'] }), 'User x and Expires at y'],
    [new Conflict('Member already exists'), 'Member already exists'],
    [new NotFound('User'), 'User Not Found'],
    [new Forbidden(), 'not authorized to update member'],
  ];
  for (const [error, text] of table) it(text, () => assert.equal(errorText(error), text));
});
