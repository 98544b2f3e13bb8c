import type { Migration, MigrationDialect } from '../platform/database/migrator.ts';

/**
 * Maintains a flag on issues that tells whether a table has rows for the issue; by triggers, which also cover cascades.
 */
function kept({ engine }: Pick<MigrationDialect, 'engine'>, column: string, table: string): string[] {
  const someLeft = `exists (select 1 from ${table} where issue_id = old.issue_id)`;
  const on = `update issues set ${column} = 1 where id = new.issue_id and ${column} = 0`;
  const off = `update issues set ${column} = 0 where id = old.issue_id and ${column} = 1 and not ${someLeft}`;
  const triggers = { insert: on, delete: off };
  return Object.entries(triggers).flatMap(([event, change]) => {
    const name = `${table}_kept_${event}`;
    if (engine === 'sqlite') return [`create trigger ${name} after ${event} on ${table} begin ${change}; end`];
    return [
      `create function ${name}() returns trigger language plpgsql as $$ begin ${change}; return null; end $$`,
      `create trigger ${name} after ${event} on ${table} for each row execute function ${name}()`,
    ];
  });
}

/** A sparse index by project: issues without the value cost no write. */
const ofProject = (name: string, column: string) =>
  `create index issues_project_${name} on issues (project_id, ${column}, id) where ${column} is not null`;

/**
 * Lists count up to ten thousand rows for a page, so the filter columns are counted from an index alone. Issues have
 * flags for labels and assignees, and the tables that belong to issues have the project.
 */
export const issueFacts: Migration = {
  name: '0360-issue-facts',
  up: (dialect) => [
    'alter table issues add column labelled integer not null default 0',
    'alter table issues add column assigned integer not null default 0',
    'update issues set labelled = 1 where exists (select 1 from issue_labels l where l.issue_id = issues.id)',
    'update issues set assigned = 1 where exists (select 1 from issue_assignees a where a.issue_id = issues.id)',
    ...kept(dialect, 'labelled', 'issue_labels'),
    ...kept(dialect, 'assigned', 'issue_assignees'),

    ...['issue_labels', 'issue_assignees'].flatMap((table) => [
      `alter table ${table} add column project_id bigint`,
      `update ${table} set project_id = (select i.project_id from issues i where i.id = ${table}.issue_id)`,
    ]),
    'drop index issue_labels_label',
    'create index issue_labels_label on issue_labels (label_id, project_id, issue_id)',
    'drop index issue_assignees_user',
    'create index issue_assignees_user on issue_assignees (user_id, project_id, issue_id)',

    `create index issues_facts on issues (project_id, labelled, assigned, confidential, author_id, milestone_id,
      epic_id, iteration_id, health_status, issue_type)`,
    ofProject('milestone', 'milestone_id'),
    ofProject('epic', 'epic_id'),
    ofProject('iteration', 'iteration_id'),
    'drop index issues_health',
    ofProject('health', 'health_status'),
    'drop index issues_author',
    'create index issues_author on issues (author_id, project_id, id)',
    'drop index issues_closed_by',
    'create index issues_closed_by on issues (closed_by_id, project_id, id) where closed_by_id is not null',
    // The indexes for sorting cover these, after whether a value is present.
    'drop index issues_project_due',
    'drop index issues_project_weight',
    'drop index issues_project_position',
  ],
};
