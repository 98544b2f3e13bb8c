import type { Migration } from '../platform/database/migrator.ts';

/** The few who watch everything that they are members of, found without looking through what everybody chose. */
export const watchersEverywhere: Migration = {
  name: '0465-watchers-everywhere',
  up: () => [
    `create index notification_settings_watching on notification_settings (user_id)
      where project_id is null and namespace_id is null and level in ('watch', 'custom')`,
  ],
};
