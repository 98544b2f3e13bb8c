import type { Migration } from '../platform/database/migrator.ts';

/** Notification settings: global, per group and per project. */
export const notificationSettings: Migration = {
  name: '0051-notification-settings',
  up: ({ id }) => [
    `create table notification_settings (
      id ${id},
      user_id bigint not null references users (id) on delete cascade,
      project_id bigint references projects (id) on delete cascade,
      namespace_id bigint references namespaces (id) on delete cascade,
      level text not null,
      events text not null,
      notification_email text,
      created_at bigint not null,
      updated_at bigint not null
    )`,
    `create unique index notification_settings_global on notification_settings (user_id)
      where project_id is null and namespace_id is null`,
    `create unique index notification_settings_project on notification_settings (user_id, project_id)
      where project_id is not null`,
    `create unique index notification_settings_namespace on notification_settings (user_id, namespace_id)
      where namespace_id is not null`,
    'create index notification_settings_of_project on notification_settings (project_id) where project_id is not null',
    'create index notification_settings_of_namespace on notification_settings (namespace_id) where namespace_id is not null',
  ],
};
