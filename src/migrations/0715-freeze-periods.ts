import type { Migration } from '../platform/database/migrator.ts';

/** Deploy freeze periods of projects. */
export const freezePeriods: Migration = {
  name: '0715-freeze-periods',
  up: ({ id, text }) => [
    `create table freeze_periods (
      id ${id},
      project_id bigint not null references projects (id) on delete cascade,
      freeze_start ${text} not null,
      freeze_end ${text} not null,
      cron_timezone ${text} not null,
      created_at bigint not null,
      updated_at bigint not null
    )`,
    'create index freeze_periods_of_project on freeze_periods (project_id, id)',
  ],
};
