import type { Migration } from '../platform/database/migrator.ts';

/** Indexes for exact, case-insensitive matches of search terms that are too short for substring search. */
export const wholeNames: Migration = {
  name: '0034-whole-names',
  up: () => [
    'create index users_lower_name on users (lower(name), id)',
    'create index projects_lower_name on projects (lower(name), id)',
    'create index projects_lower_path on projects (lower(path), id)',
    // PostgreSQL rejects index entries of more than 2,700 bytes; the prefix of a description distinguishes most of
    // them.
    'create index projects_lower_description on projects (substr(lower(description), 1, 100), id)',
  ],
};
