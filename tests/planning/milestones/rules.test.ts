import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { milestoneProblems } from '../../../src/planning/milestones/rules.ts';

describe('validation of milestones', () => {
  const sound = { title: 'v1', start_date: null, due_date: null };
  const table: [object, object][] = [
    [{}, {}],
    [{ title: ' ' }, { title: ["can't be blank"] }],
    [{ title: 'x'.repeat(256) }, { title: ['is too long (maximum is 255 characters)'] }],
    [{ start_date: '2026-01-02', due_date: '2026-01-03' }, {}],
    [{ start_date: '2026-01-02', due_date: '2026-01-02' }, { due_date: ['must be greater than start date'] }],
    [{ start_date: '2026-01-02', due_date: '2026-01-01' }, { due_date: ['must be greater than start date'] }],
    [{ due_date: '9999-12-31' }, {}],
  ];
  for (const [change, problems] of table) {
    it(JSON.stringify(change).slice(0, 60), () =>
      assert.deepEqual(milestoneProblems({ ...sound, ...change }), problems),
    );
  }
});
