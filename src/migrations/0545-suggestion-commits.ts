import type { Migration } from '../platform/database/migrator.ts';

/** What suggestions a commit would apply, written down before its branch moves to it. */
export const suggestionCommits: Migration = {
  name: '0545-suggestion-commits',
  up: ({ text }) => [
    `create table suggestion_commits (
      sha ${text} not null,
      suggestion_id bigint not null references suggestions (id) on delete cascade,
      primary key (sha, suggestion_id)
    )`,
    'create index suggestion_commits_suggestion on suggestion_commits (suggestion_id)',
  ],
};
