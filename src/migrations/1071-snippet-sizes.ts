import type { Migration } from '../platform/database/migrator.ts';

const kept = 'derived_snippet_sizes';
const added = `on conflict (project_id) do update set total = ${kept}.total + excluded.total;`;

/** The row of a deleted project is gone before its snippets, so later changes have no effect. */
const sqlite = [
  `create trigger snippets_sized_insert after insert on snippets when new.project_id is not null begin
    insert into ${kept} (project_id, total) values (new.project_id, new.repository_size) ${added} end`,
  `create trigger snippets_sized_update after update of repository_size on snippets when new.project_id is not null begin
    insert into ${kept} (project_id, total) values (new.project_id, new.repository_size - old.repository_size) ${added} end`,
  `create trigger snippets_sized_delete after delete on snippets when old.project_id is not null begin
    update ${kept} set total = total - old.repository_size where project_id = old.project_id; end`,
];

/** Sums up the rows of a statement, because a row changed often within one transaction becomes slow. */
const postgres = [
  `create function snippets_sized_insert() returns trigger language plpgsql as $$ begin
    insert into ${kept} (project_id, total)
      select project_id, sum(repository_size) from made where project_id is not null
      group by project_id order by project_id ${added} return null; end $$`,
  `create trigger snippets_sized_insert after insert on snippets
    referencing new table as made for each statement execute function snippets_sized_insert()`,
  `create function snippets_sized_update() returns trigger language plpgsql as $$ begin
    insert into ${kept} (project_id, total)
      values (new.project_id, new.repository_size - old.repository_size) ${added} return null; end $$`,
  `create trigger snippets_sized_update after update of repository_size on snippets
    for each row when (new.project_id is not null) execute function snippets_sized_update()`,
  `create function snippets_sized_delete() returns trigger language plpgsql as $$ begin
    update ${kept} set total = ${kept}.total - lost.total
      from (select project_id, sum(repository_size) as total from gone group by project_id) as lost
      where lost.project_id = ${kept}.project_id; return null; end $$`,
  `create trigger snippets_sized_delete after delete on snippets
    referencing old table as gone for each statement execute function snippets_sized_delete()`,
];

/** The size of each snippet, measured on change, and their total per project, maintained by triggers. */
export const snippetSizes: Migration = {
  name: '1071-snippet-sizes',
  up: ({ engine }) => [
    'alter table snippets add column repository_size bigint not null default 0',
    `create table ${kept} (
      project_id bigint primary key references projects (id) on delete cascade,
      total bigint not null
    )`,
    ...(engine === 'sqlite' ? sqlite : postgres),
    'drop index projects_storage_size',
    `create index projects_storage_size on projects
      (visibility, (repository_size + wiki_size + lfs_objects_size + uploads_size + packages_size), id)`,
  ],
};
