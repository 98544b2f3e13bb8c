import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Actor } from '../../../src/access/actor.ts';
import type { ProjectOrGroup } from '../../../src/access/project-or-group.ts';
import type { Services } from '../../../src/access/services.ts';
import { countsOf } from '../../../src/planning/labels/counts.ts';
import type { LabelCounter } from '../../../src/planning/labels/public.ts';

describe('label counts', () => {
  const services = (counters: readonly LabelCounter[]) => ({ contributions: () => counters }) as unknown as Services;
  const requested = [{ user: null }, {}] as unknown as [Actor, ProjectOrGroup];

  it('are zero without contributing areas', async () => {
    const counts = await countsOf(services([]), ...requested, [1]);
    assert.deepEqual(counts(1), { open_issues_count: 0, closed_issues_count: 0, open_merge_requests_count: 0 });
  });

  it('are collected from all contributing areas, once per page', async () => {
    const pages: (readonly number[])[] = [];
    const counting =
      (counts: Awaited<ReturnType<LabelCounter>>): LabelCounter =>
      async (_services, _caller, _place, labelIds) => {
        pages.push(labelIds);
        return counts;
      };
    const counts = await countsOf(
      services([
        counting(new Map([[1, { open_issues_count: 2, closed_issues_count: 3 }]])),
        counting(new Map([[1, { open_merge_requests_count: 4 }]])),
      ]),
      ...requested,
      [1, 2],
    );
    assert.deepEqual(counts(1), { open_issues_count: 2, closed_issues_count: 3, open_merge_requests_count: 4 });
    assert.deepEqual(counts(2), { open_issues_count: 0, closed_issues_count: 0, open_merge_requests_count: 0 });
    assert.deepEqual(pages, [
      [1, 2],
      [1, 2],
    ]);
  });
});
