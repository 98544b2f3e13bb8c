import type { Migration } from '../platform/database/migrator.ts';

/** The latest health report of each repository. */
export const health: Migration = {
  name: '0030-health',
  up: () => [
    `create table repository_health (
      project_id bigint primary key references projects (id) on delete cascade,
      report text not null,
      updated_at bigint not null
    )`,
  ],
};
