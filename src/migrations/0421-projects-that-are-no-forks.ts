import type { Migration } from '../platform/database/migrator.ts';

/** Index to count projects that are not forks without reading their rows. */
export const projectsThatAreNoForks: Migration = {
  name: '0421-projects-that-are-no-forks',
  up: () => ['create index projects_no_forks on projects (visibility, id) where forked_from_id is null'],
};
