import type { Migration } from '../platform/database/migrator.ts';

/** Wiki pages with ids that events and comments refer to. */
export const wikis: Migration = {
  name: '0072-wikis',
  up: ({ id, text }) => [
    `create table wiki_pages (
      id ${id},
      project_id bigint references projects (id) on delete cascade,
      namespace_id bigint references namespaces (id) on delete cascade,
      slug ${text} not null,
      created_at bigint not null
    )`,
    'create unique index wiki_pages_project on wiki_pages (project_id, slug) where project_id is not null',
    'create unique index wiki_pages_namespace on wiki_pages (namespace_id, slug) where namespace_id is not null',
  ],
};
