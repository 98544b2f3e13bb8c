import type { Migration } from '../platform/database/migrator.ts';

/** Index of forks by visibility, in list order. */
export const forksByVisibility: Migration = {
  name: '0530-forks-by-visibility',
  up: () => [
    'drop index projects_forked_from',
    'create index projects_forked_from on projects (forked_from_id, visibility, id) where forked_from_id is not null',
  ],
};
