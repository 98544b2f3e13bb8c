import type { Migration, MigrationDialect } from '../platform/database/migrator.ts';

/**
 * Maintains a flag on merge requests that tells whether a table has rows for it; by triggers, which also cover
 * cascades.
 */
function kept({ engine }: Pick<MigrationDialect, 'engine'>, column: string, table: string): string[] {
  const someLeft = `exists (select 1 from ${table} where merge_request_id = old.merge_request_id)`;
  const on = `update merge_requests set ${column} = 1 where id = new.merge_request_id and ${column} = 0`;
  const off = `update merge_requests set ${column} = 0
    where id = old.merge_request_id and ${column} = 1 and not ${someLeft}`;
  const triggers = { insert: on, delete: off };
  return [
    `alter table merge_requests add column ${column} integer not null default 0`,
    `update merge_requests set ${column} = 1
      where exists (select 1 from ${table} t where t.merge_request_id = merge_requests.id)`,
    ...Object.entries(triggers).flatMap(([event, change]) => {
      const name = `${table}_kept_${event}`;
      if (engine === 'sqlite') return [`create trigger ${name} after ${event} on ${table} begin ${change}; end`];
      return [
        `create function ${name}() returns trigger language plpgsql as $$ begin ${change}; return null; end $$`,
        `create trigger ${name} after ${event} on ${table} for each row execute function ${name}()`,
      ];
    }),
  ];
}

const unset = (column: string) => `(case when ${column} is null then 1 else 0 end)`;

const nullable = {
  milestone_due: 'milestone_due_date',
  label_priority: 'label_priority',
  merged: 'merged_at',
} as const;

const directions = ['asc', 'desc'] as const;

const byPriority = (direction: (typeof directions)[number]) =>
  `${unset('milestone_due_date')}, milestone_due_date ${direction}, ${unset('label_priority')}, label_priority ${direction}`;

/**
 * Merge request lists are filtered and counted from indexes alone, and every order has an index in exactly that order:
 * rows without a value in the sort column come last in both directions. The previous indexes on those columns matched
 * no list.
 */
export const mergeRequestFacts: Migration = {
  name: '0440-merge-request-facts',
  up: (dialect) => [
    ...kept(dialect, 'has_labels', 'merge_request_labels'),
    ...kept(dialect, 'has_assignees', 'merge_request_assignees'),
    ...kept(dialect, 'has_reviewers', 'merge_request_reviewers'),
    ...kept(dialect, 'has_approvals', 'merge_request_approvals'),
    `create index merge_requests_facts on merge_requests (project_id, state, has_labels, has_assignees, has_reviewers,
      has_approvals, milestone_id, author_id, draft)`,

    "create index merge_requests_opened on merge_requests (created_at, id) where state = 'opened'",

    'drop index merge_requests_drafts',
    `create index merge_requests_drafts on merge_requests (project_id,
      (case when draft = 1 or substr(lower(title), 1, 8) = 'draft - ' then 1 else 0 end), state, created_at, id)`,
    'drop index merge_requests_author',
    'create index merge_requests_author on merge_requests (author_id, project_id, state, id)',
    'drop index merge_requests_merge_user',
    `create index merge_requests_merge_user on merge_requests (merge_user_id, project_id, id)
      where merge_user_id is not null`,
    `create index merge_requests_project_milestone on merge_requests (project_id, milestone_id, id)
      where milestone_id is not null`,
    'create index merge_requests_project_source on merge_requests (project_id, source_branch, id)',

    ...Object.entries(nullable).flatMap(([name, column]) => [
      `drop index merge_requests_project_${name}`,
      ...directions.map(
        (direction) => `create index merge_requests_by_${name}_${direction}
          on merge_requests (project_id, ${unset(column)}, ${column} ${direction}, id ${direction})`,
      ),
    ]),
    ...directions.map(
      (direction) => `create index merge_requests_by_priority_${direction}
        on merge_requests (project_id, ${byPriority(direction)}, id desc)`,
    ),
    'create index merge_requests_by_popularity_asc on merge_requests (project_id, upvotes, id desc)',
  ],
};
