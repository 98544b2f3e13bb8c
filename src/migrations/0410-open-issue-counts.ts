import type { Migration, MigrationDialect } from '../platform/database/migrator.ts';

const table = 'derived_open_issues';

const counted = (issue: 'new' | 'old') => `${issue}.state = 'opened'`;

/** Adds an issue to the count of its project. */
const add = (issue: 'new' | 'old') => `insert into ${table} (project_id, open, confidential)
  values (${issue}.project_id, 1, ${issue}.confidential)
  on conflict (project_id) do update set open = ${table}.open + 1,
    confidential = ${table}.confidential + excluded.confidential`;

/** Does nothing if the row of a deleted project is already gone. */
const subtract = `update ${table} set open = open - 1, confidential = confidential - old.confidential
  where project_id = old.project_id`;

const changed = ['state', 'confidential', 'project_id'].map((column) => `old.${column} <> new.${column}`).join(' or ');

const sqliteTriggers = (): string[] => [
  `create trigger issues_open_insert after insert on issues when ${counted('new')} begin ${add('new')}; end`,
  `create trigger issues_open_delete after delete on issues when ${counted('old')} begin ${subtract}; end`,
  `create trigger issues_open_leave after update of state, confidential, project_id on issues
    when ${counted('old')} and (${changed}) begin ${subtract}; end`,
  `create trigger issues_open_enter after update of state, confidential, project_id on issues
    when ${counted('new')} and (${changed}) begin ${add('new')}; end`,
];

const each = (name: string, body: string): string =>
  `create function ${name}() returns trigger language plpgsql as $$ begin ${body} return null; end $$`;

/** Counts the rows of a statement together, because a row changed often within one transaction becomes slow. */
const postgresTriggers = (): string[] => [
  each(
    'issues_open_insert',
    `insert into ${table} (project_id, open, confidential)
      select project_id, count(*), sum(confidential) from made where state = 'opened'
      group by project_id order by project_id
      on conflict (project_id) do update set open = ${table}.open + excluded.open,
        confidential = ${table}.confidential + excluded.confidential;`,
  ),
  `create trigger issues_open_insert after insert on issues referencing new table as made
    for each statement execute function issues_open_insert()`,
  each(
    'issues_open_delete',
    `update ${table} set open = ${table}.open - g.open, confidential = ${table}.confidential - g.confidential
      from (select project_id, count(*) as open, sum(confidential) as confidential from gone
        where state = 'opened' group by project_id) g
      where ${table}.project_id = g.project_id;`,
  ),
  `create trigger issues_open_delete after delete on issues referencing old table as gone
    for each statement execute function issues_open_delete()`,
  each(
    'issues_open_change',
    `if ${counted('old')} then ${subtract}; end if; if ${counted('new')} then ${add('new')}; end if;`,
  ),
  `create trigger issues_open_change after update of state, confidential, project_id on issues for each row
    when (${changed}) execute function issues_open_change()`,
];

/**
 * The number of open issues of each project, maintained by triggers, because counting took time proportional to their
 * number. Derived tables are not copied with the rows of a database.
 */
export const openIssueCounts: Migration = {
  name: '0410-open-issue-counts',
  up: ({ engine }: MigrationDialect) => [
    `create table ${table} (
      project_id bigint primary key references projects (id) on delete cascade,
      open bigint not null,
      confidential bigint not null
    )`,
    `insert into ${table} (project_id, open, confidential)
      select project_id, count(*), sum(confidential) from issues where state = 'opened' group by project_id`,
    ...(engine === 'sqlite' ? sqliteTriggers() : postgresTriggers()),
    'drop index issues_open',
  ],
};
