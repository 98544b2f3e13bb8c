import type { Migration } from '../platform/database/migrator.ts';

const unset = (column: string) => `(case when ${column} is null then 1 else 0 end)`;

const nullable = {
  due: 'due_date',
  milestone_due: 'milestone_due_date',
  weight: 'weight',
  rank: 'label_priority',
} as const;

/**
 * Issues that lack what a list orders by come last, whichever way it goes, and among equals the latest first: each way is
 * an order of its own, which an index must have as the list asks for it. The former indexes gave no list its order.
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
    // The other way the places do not count.
    'create index issues_project_number on issues (project_id, id)',
  ],
};
