import type { Migration } from '../platform/database/migrator.ts';

/** Labels of projects and groups. */
export const labels: Migration = {
  name: '0003-labels',
  up: ({ id, text }) => [
    `create table labels (
      id ${id},
      namespace_id bigint references namespaces (id) on delete cascade,
      project_id bigint references projects (id) on delete cascade,
      title ${text} not null,
      color text not null,
      description text,
      archived integer not null default 0,
      created_at bigint not null,
      updated_at bigint not null,
      check ((namespace_id is null) <> (project_id is null))
    )`,
    'create unique index labels_namespace on labels (namespace_id, title) where namespace_id is not null',
    'create unique index labels_project on labels (project_id, title) where project_id is not null',

    `create table label_priorities (
      label_id bigint not null references labels (id) on delete cascade,
      project_id bigint not null references projects (id) on delete cascade,
      priority integer not null,
      primary key (label_id, project_id)
    )`,
    'create index label_priorities_project on label_priorities (project_id, priority)',

    `create table label_subscriptions (
      label_id bigint not null references labels (id) on delete cascade,
      user_id bigint not null references users (id) on delete cascade,
      primary key (label_id, user_id)
    )`,
    'create index label_subscriptions_user on label_subscriptions (user_id, label_id)',
  ],
};
