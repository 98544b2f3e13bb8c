import type { Migration } from '../platform/database/migrator.ts';

/** The forks of a project as lists show them: those of each visibility in the order of their numbers. */
export const forksByVisibility: Migration = {
  name: '0530-forks-by-visibility',
  up: () => [
    'drop index projects_forked_from',
    'create index projects_forked_from on projects (forked_from_id, visibility, id) where forked_from_id is not null',
  ],
};
