import type { Migration } from '../platform/database/migrator.ts';

/** Application settings: a single row with the values that differ from the defaults. */
export const applicationSettings: Migration = {
  name: '0038-application-settings',
  up: () => [
    `create table application_settings (
      id bigint primary key check (id = 1),
      settings text not null,
      updated_at bigint not null
    )`,
    "insert into application_settings (id, settings, updated_at) values (1, '{}', 0)",
  ],
};
