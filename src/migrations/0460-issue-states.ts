import type { Migration, MigrationDialect } from '../platform/database/migrator.ts';

const hanging = ['issue_labels', 'issue_assignees'] as const;

const dropped = ({ engine }: Pick<MigrationDialect, 'engine'>, name: string, on: string): string[] =>
  engine === 'sqlite' ? [`drop trigger ${name}`] : [`drop trigger ${name} on ${on}`, `drop function ${name}()`];

/**
 * Copies state and confidentiality of an issue to its dependent rows, whichever of them changes. A new issue usually
 * has the default values and costs only the check.
 */
const copies = (dialect: MigrationDialect): string[] => [
  ...hanging.flatMap((table) => [
    ...dropped(dialect, `${table}_confidential`, table),
    ...dialect.trigger({
      name: `${table}_copies`,
      on: table,
      event: 'insert',
      when: "exists (select 1 from issues where id = new.issue_id and (confidential = 1 or state = 'closed'))",
      change: `update ${table} set confidential = (select confidential from issues where id = new.issue_id),
        state = (select state from issues where id = new.issue_id) where issue_id = new.issue_id;`,
    }),
  ]),
  ...dialect.trigger({
    name: 'issues_state_copies',
    on: 'issues',
    event: 'update of state',
    when: 'old.state <> new.state',
    change: hanging.map((table) => `update ${table} set state = new.state where issue_id = new.id;`).join(' '),
  }),
];

/**
 * Issues of a label or an assignee are usually filtered by state, which had to be looked up issue by issue; the indexes
 * now contain it.
 */
export const issueStates: Migration = {
  name: '0460-issue-states',
  up: (dialect) => [
    ...hanging.flatMap((table) => [
      `alter table ${table} add column state text not null default 'opened'`,
      `update ${table} set state = 'closed' where issue_id in (select id from issues where state = 'closed')`,
    ]),
    ...copies(dialect),
    'drop index issue_labels_label',
    'create index issue_labels_label on issue_labels (label_id, project_id, confidential, state, issue_id)',
    'drop index issue_assignees_user',
    'create index issue_assignees_user on issue_assignees (user_id, project_id, confidential, state, issue_id)',
  ],
};
