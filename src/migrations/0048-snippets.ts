import type { Migration } from '../platform/database/migrator.ts';

/** Snippets; their content is stored in a repository each. */
export const snippets: Migration = {
  name: '0048-snippets',
  up: (dialect) => [
    `create table snippets (
      id ${dialect.id},
      project_id bigint references projects (id) on delete cascade,
      author_id bigint not null references users (id),
      title ${dialect.text} not null,
      description text,
      visibility integer not null,
      repository text not null,
      files text not null,
      imported_from text not null default 'none',
      created_at bigint not null,
      updated_at bigint not null
    )`,
    'create unique index snippets_repository on snippets (repository)',
    'create index snippets_project on snippets (project_id, id)',
    'create index snippets_author on snippets (author_id, id)',
    'create index snippets_public on snippets (id) where project_id is null and visibility = 20',
    ...dialect.search({ table: 'snippets', columns: ['title', 'description'] }),
  ],
};
