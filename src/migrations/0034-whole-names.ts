import type { Migration } from '../platform/database/migrator.ts';

/** Searches too short for a part of a text find whole ones: names in any case. */
export const wholeNames: Migration = {
  name: '0034-whole-names',
  up: () => [
    'create index users_lower_name on users (lower(name), id)',
    'create index projects_lower_name on projects (lower(name), id)',
    'create index projects_lower_path on projects (lower(path), id)',
    // PostgreSQL refuses index entries of more than 2,700 bytes; the beginning of a description tells most apart.
    'create index projects_lower_description on projects (substr(lower(description), 1, 100), id)',
  ],
};
