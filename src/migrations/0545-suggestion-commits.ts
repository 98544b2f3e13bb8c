import type { Migration } from '../platform/database/migrator.ts';

/** The suggestions that a commit applies, recorded before the branch is updated. */
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
