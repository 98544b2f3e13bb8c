import type { Migration } from '../platform/database/migrator.ts';

/** Schedules of a project by whether they are active, in the order they are listed in. */
export const activeSchedules: Migration = {
  name: '0841-active-schedules',
  up: () => ['create index pipeline_schedules_active on pipeline_schedules (project_id, active, id)'],
};
