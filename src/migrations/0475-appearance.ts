import type { Migration } from '../platform/database/migrator.ts';

/** The appearance settings of the instance. */
export const appearance: Migration = {
  name: '0475-appearance',
  up: () => ["alter table application_settings add column appearance text not null default '{}'"],
};
