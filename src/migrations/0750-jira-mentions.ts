import type { Migration } from '../platform/database/migrator.ts';

/** Mentions sent to Jira: each commit or merge request that refers to a Jira issue, once. */
export const jiraMentions: Migration = {
  name: '0750-jira-mentions',
  up: ({ id, text }) => [
    `create table jira_mentions (
      id ${id},
      project_id bigint not null references projects (id) on delete cascade,
      issue_key ${text} not null,
      about ${text} not null,
      claimed_by ${text} not null,
      told_at bigint,
      unique (project_id, issue_key, about)
    )`,
    'create index jira_mentions_claimed on jira_mentions (project_id, claimed_by) where told_at is null',
  ],
};
