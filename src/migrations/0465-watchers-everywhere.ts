import type { Migration } from '../platform/database/migrator.ts';

/** Index of the few users who watch everything, to find them without reading all notification settings. */
export const watchersEverywhere: Migration = {
  name: '0465-watchers-everywhere',
  up: () => [
    `create index notification_settings_watching on notification_settings (user_id)
      where project_id is null and namespace_id is null and level in ('watch', 'custom')`,
  ],
};
