import type { Migration } from '../platform/database/migrator.ts';

/** Index of pipeline schedules by activity, in list order. */
export const activeSchedules: Migration = {
  name: '0841-active-schedules',
  up: () => ['create index pipeline_schedules_active on pipeline_schedules (project_id, active, id)'],
};
