import type { Migration } from '../platform/database/migrator.ts';

const unset = (column: string) => `(case when ${column} is null then 1 else 0 end)`;

const nullable = {
  due: 'due_date',
  milestone_due: 'milestone_due_date',
  weight: 'weight',
  rank: 'label_priority',
} as const;

/**
 * Indexes for issue lists. Issues without a value in the sort column come last in both directions, and equal ones are
 * sorted latest first: each direction is a separate order, which needs an index in exactly that order. The previous
 * indexes matched no list.
 */
export const issueOrders: Migration = {
  name: '0242-issue-orders',
  up: () => [
    'drop index issues_project_milestone_due',
    'drop index issues_project_label_priority',
    ...Object.entries(nullable).flatMap(([name, column]) =>
      (['asc', 'desc'] as const).map(
        (direction) => `create index issues_by_${name}_${direction}
          on issues (project_id, ${unset(column)}, ${column} ${direction}, id desc)`,
      ),
    ),
    `create index issues_by_position on issues (project_id, ${unset('relative_position')}, relative_position, id)`,
    // In the other direction, the position is irrelevant.
    'create index issues_project_number on issues (project_id, id)',
  ],
};
