import type { Migration, MigrationDialect } from '../platform/database/migrator.ts';

const hanging = ['issue_labels', 'issue_assignees'] as const;

/** Copies the confidentiality of an issue to its dependent rows, whichever of them changes. */
const copies = (dialect: MigrationDialect): string[] => [
  ...hanging.flatMap((table) =>
    dialect.trigger({
      name: `${table}_confidential`,
      on: table,
      event: 'insert',
      when: 'exists (select 1 from issues where id = new.issue_id and confidential = 1)',
      change: `update ${table} set confidential = 1 where issue_id = new.issue_id;`,
    }),
  ),
  ...dialect.trigger({
    name: 'issues_confidential_copies',
    on: 'issues',
    event: 'update of confidential',
    when: 'old.confidential <> new.confidential',
    change: hanging
      .map((table) => `update ${table} set confidential = new.confidential where issue_id = new.id;`)
      .join(' '),
  }),
];

/** Recreates an index with other columns. */
const remade = (name: string, columns: string): string[] => [
  `drop index ${name}`,
  `create index ${name} on issues (${columns})`,
];

const unset = (column: string) => `(case when ${column} is null then 1 else 0 end)`;

/**
 * Lists count up to ten thousand rows for a page. For callers without access to confidential issues, each row had to be
 * looked up, and issues lacking a value were searched among all issues. The indexes now contain confidentiality, and
 * the state, which most callers filter by as well.
 */
export const issueConfidentiality: Migration = {
  name: '0411-issue-confidentiality',
  up: (dialect) => [
    ...hanging.flatMap((table) => [
      `alter table ${table} add column confidential integer not null default 0`,
      `update ${table} set confidential = 1 where issue_id in (select id from issues where confidential = 1)`,
    ]),
    ...copies(dialect),
    'drop index issue_labels_label',
    'create index issue_labels_label on issue_labels (label_id, project_id, confidential, issue_id)',
    'drop index issue_assignees_user',
    'create index issue_assignees_user on issue_assignees (user_id, project_id, confidential, issue_id)',

    ...['milestone_id', 'epic_id', 'iteration_id', 'health_status'].flatMap((column) =>
      remade(`issues_project_${column.split('_')[0]}`, `project_id, ${column}, confidential, state, id`),
    ),
    // Authors can see their own confidential issues, but not those of others.
    'drop index issues_confidential',
    'create index issues_confidential on issues (project_id, author_id, id) where confidential = 1',
    'drop index issues_rare_types',
    'create index issues_project_type on issues (project_id, issue_type, confidential, state, id)',
    ...remade('issues_author', 'author_id, project_id, confidential, state, id'),
    'drop index issues_closed_by',
    `create index issues_closed_by on issues (closed_by_id, project_id, confidential, id)
      where closed_by_id is not null`,
    ...remade(
      'issues_facts',
      `project_id, labelled, assigned, confidential, state, author_id, milestone_id, epic_id, iteration_id,
        health_status, issue_type`,
    ),
    ...remade('issues_project_number', 'project_id, id, confidential, state'),
    ...remade('issues_project_created', 'project_id, created_at, id, confidential, state'),
    ...remade('issues_project_updated', 'project_id, updated_at, id, confidential, state'),
    ...remade('issues_project_state', 'project_id, state, created_at, id, confidential'),
    ...remade('issues_project_state_updated', 'project_id, state, updated_at, id, confidential'),
    ...remade('issues_by_due_asc', `project_id, ${unset('due_date')}, due_date asc, id desc, confidential, state`),
    ...remade('issues_by_weight_asc', `project_id, ${unset('weight')}, weight asc, id desc, confidential, state`),
  ],
};
