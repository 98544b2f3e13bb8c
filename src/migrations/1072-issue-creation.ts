import type { Migration } from '../platform/database/migrator.ts';

const counts = 'derived_counts';

/** The same counts as before, without grouping and sorting the one row. */
const insertOnSqlite = [
  'drop trigger issues_counted_insert',
  `create trigger issues_counted_insert after insert on issues begin
    insert into ${counts} (counted, owner, total)
      values ('issues.' || new.state || '.' || new.confidential, new.project_id, 1)
      on conflict (counted, owner) do update set total = total + 1; end`,
];

const dropOnSqlite = ['insert', 'delete', 'leave', 'enter'].map((event) => `drop trigger issues_open_${event}`);

const dropOnPostgres = ['insert', 'delete', 'change'].flatMap((event) => [
  `drop trigger issues_open_${event} on issues`,
  `drop function issues_open_${event}()`,
]);

/**
 * Less to write for each new issue. Open issues were counted twice: for the project (0410) and for lists (0696), which
 * know confidential ones as well. And subscriptions, few of which belong to a group, were all indexed by group.
 */
export const issueCreation: Migration = {
  name: '1072-issue-creation',
  up: ({ engine }) => [
    ...(engine === 'sqlite' ? [...dropOnSqlite, ...insertOnSqlite] : dropOnPostgres),
    'drop table derived_open_issues',
    'drop index subscriptions_namespace',
    'create index subscriptions_namespace on subscriptions (namespace_id) where namespace_id is not null',
  ],
};
