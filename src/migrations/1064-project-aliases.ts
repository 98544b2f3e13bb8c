import type { Migration } from '../platform/database/migrator.ts';

/** Project aliases for git access. */
export const projectAliases: Migration = {
  name: '1064-project-aliases',
  up: ({ id, text, ref }) => [
    `create table project_aliases (
      id ${id},
      project_id ${ref('projects')} on delete cascade not null,
      name ${text} not null
    )`,
    'create unique index project_aliases_name on project_aliases (name)',
    'create index project_aliases_project on project_aliases (project_id)',
  ],
};
