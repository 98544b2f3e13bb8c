import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { refusalOf } from '../../../src/ci/downstream/hierarchy.ts';

describe('pipeline hierarchy limits', () => {
  const push = { source: 'push', project_id: 1, ref: 'main' };
  const child = { source: 'parent_pipeline', project_id: 1, ref: 'main' };
  const other = (project_id: number) => ({ source: 'pipeline', project_id, ref: 'main' });
  const below = { child: true, projectId: 1, ref: 'main' };
  const elsewhere = { child: false, projectId: 2, ref: 'main' };
  const cases = [
    ['a child', [push], 1, below, null],
    ['a child of a child', [child, push], 2, below, null],
    ['a third level of children', [child, child, push], 3, below, 'reached_max_descendant_pipelines_depth'],
    ['a child of a multi-project pipeline', [other(1), child, child, push], 4, below, null],
    ['a multi-project pipeline', [child, child, push], 3, elsewhere, null],
    ['the pipeline above the hierarchy limit', [push], 1000, below, 'reached_max_pipeline_hierarchy_size'],
    [
      'a project that already occurs twice',
      [other(2), other(1), other(2), push],
      4,
      elsewhere,
      'pipeline_loop_detected',
    ],
    ['a project that occurs once', [other(1), other(2), push], 3, elsewhere, null],
  ] as const;
  for (const [name, ancestors, size, planned, expected] of cases) {
    it(`${name}: ${expected ?? 'allowed'}`, () =>
      assert.equal(refusalOf(ancestors, { size, limit: 1000 }, planned), expected));
  }
});
