import type { Migration } from '../platform/database/migrator.ts';

/** Projects whose owners were warned of the deletion for inactivity. */
export const inactiveProjects: Migration = {
  name: '0685-inactive-projects',
  up: () => [
    `create table inactive_project_warnings (
      project_id bigint primary key references projects (id) on delete cascade,
      warned_at bigint not null
    )`,
  ],
};
