import type { Migration } from '../platform/database/migrator.ts';

const unset = (column: string) => `(case when ${column} is null then 1 else 0 end)`;

const byPriority = (direction: 'asc' | 'desc') =>
  `${unset('milestone_due_date')}, milestone_due_date ${direction}, ${unset('label_priority')}, label_priority ${direction}`;

/** Indexes for selective filters of issue lists, and for the orders that still sorted a whole project. */
export const issueLists: Migration = {
  name: '0290-issue-lists',
  up: () => [
    'create index issues_confidential on issues (project_id) where confidential = 1',
    "create index issues_rare_types on issues (project_id, issue_type) where issue_type <> 'issue'",
    'create index issues_health on issues (project_id, health_status) where health_status is not null',
    'create index labels_title on labels (title, namespace_id)',
    'create index milestones_title on milestones (title, namespace_id)',
    ...(['asc', 'desc'] as const).map(
      (direction) =>
        `create index issues_by_priority_${direction} on issues (project_id, ${byPriority(direction)}, id desc)`,
    ),
    'create index issues_by_popularity_asc on issues (project_id, upvotes, id desc)',
  ],
};
