import type { Migration } from '../platform/database/migrator.ts';

/** How the instance presents itself, as administrators have written it. */
export const appearance: Migration = {
  name: '0475-appearance',
  up: () => ["alter table application_settings add column appearance text not null default '{}'"],
};
