import type { Migration, MigrationDialect } from '../platform/database/migrator.ts';

const hanging = {
  merge_request_labels: 'label',
  merge_request_assignees: 'user',
  merge_request_reviewers: 'user',
  merge_request_approvals: 'user',
} as const;
const tables = Object.keys(hanging);

/** Copies project and state of a merge request to its dependent rows, whichever of them changes. */
const copies = (dialect: MigrationDialect): string[] => [
  ...tables.flatMap((table) => [
    `alter table ${table} add column project_id bigint`,
    `alter table ${table} add column request_state text not null default 'opened'`,
    `update ${table} set project_id = (select r.project_id from merge_requests r where r.id = ${table}.merge_request_id),
      request_state = (select r.state from merge_requests r where r.id = ${table}.merge_request_id)`,
    ...dialect.trigger({
      name: `${table}_copies`,
      on: table,
      event: 'insert',
      when: 'new.project_id is null',
      change: `update ${table} set project_id = (select project_id from merge_requests where id = new.merge_request_id),
        request_state = (select state from merge_requests where id = new.merge_request_id)
        where merge_request_id = new.merge_request_id and project_id is null;`,
    }),
  ]),
  ...dialect.trigger({
    name: 'merge_requests_state_copies',
    on: 'merge_requests',
    event: 'update of state',
    when: 'old.state <> new.state',
    change: tables
      .map((table) => `update ${table} set request_state = new.state where merge_request_id = new.id;`)
      .join(' '),
  }),
];

const remade = (name: string, columns: string): string[] => [
  `drop index ${name}`,
  `create index ${name} on ${columns}`,
];

/**
 * Merge requests of a label or a user are usually filtered by state, which had to be looked up one by one; the indexes
 * now contain project and state. The other indexes have the state as well, because SQLite, which keeps no statistics
 * here, would use one on the state alone instead.
 */
export const mergeRequestStates: Migration = {
  name: '0525-merge-request-states',
  up: (dialect) => [
    ...copies(dialect),
    ...Object.entries(hanging).flatMap(([table, what]) =>
      remade(`${table}_${what}`, `${table} (${what}_id, project_id, request_state, merge_request_id)`),
    ),
    ...remade(
      'merge_requests_merge_user',
      'merge_requests (merge_user_id, project_id, state, id) where merge_user_id is not null',
    ),
    ...remade('merge_requests_project_source', 'merge_requests (project_id, source_branch, state, id)'),
    ...remade(
      'merge_requests_project_milestone',
      'merge_requests (project_id, milestone_id, state, id) where milestone_id is not null',
    ),
    'create index merge_requests_project_number on merge_requests (project_id, id)',
  ],
};
