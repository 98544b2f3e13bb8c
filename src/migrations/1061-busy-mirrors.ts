import type { Migration } from '../platform/database/migrator.ts';

/** Index to count scheduled and running mirrors before more are started. */
export const busyMirrors: Migration = {
  name: '1061-busy-mirrors',
  up: () => [
    "create index pull_mirrors_busy on pull_mirrors (next_update_at, project_id) where update_status in ('scheduled', 'started')",
  ],
};
