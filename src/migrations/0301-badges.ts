import type { Migration } from '../platform/database/migrator.ts';

/** Badges of projects and groups. */
export const badges: Migration = {
  name: '0301-badges',
  up: ({ id }) => [
    `create table badges (
      id ${id},
      project_id bigint references projects (id) on delete cascade,
      namespace_id bigint references namespaces (id) on delete cascade,
      name text,
      link_url text not null,
      image_url text not null,
      created_at bigint not null,
      updated_at bigint not null,
      check ((namespace_id is null) <> (project_id is null))
    )`,
    'create index badges_project on badges (project_id, id) where project_id is not null',
    'create index badges_namespace on badges (namespace_id, id) where namespace_id is not null',
  ],
};
