import type { Migration } from '../platform/database/migrator.ts';

const kept = 'derived_artifact_sizes';
const added = `on conflict (project_id) do update set total = ${kept}.total + excluded.total;`;

/** The row of a deleted project is gone before its artifacts, so later changes have no effect. */
const sqlite = [
  `create trigger job_artifacts_sized_insert after insert on job_artifacts begin
    insert into ${kept} (project_id, total) values (new.project_id, new.size) ${added} end`,
  `create trigger job_artifacts_sized_delete after delete on job_artifacts begin
    update ${kept} set total = total - old.size where project_id = old.project_id; end`,
];

/** Sums up the rows of a statement, because a row changed often within one transaction becomes slow. */
const postgres = [
  `create function job_artifacts_sized_insert() returns trigger language plpgsql as $$ begin
    insert into ${kept} (project_id, total)
      select project_id, sum(size) from made group by project_id order by project_id ${added} return null; end $$`,
  `create trigger job_artifacts_sized_insert after insert on job_artifacts
    referencing new table as made for each statement execute function job_artifacts_sized_insert()`,
  `create function job_artifacts_sized_delete() returns trigger language plpgsql as $$ begin
    update ${kept} set total = ${kept}.total - lost.total
      from (select project_id, sum(size) as total from gone group by project_id) as lost
      where lost.project_id = ${kept}.project_id; return null; end $$`,
  `create trigger job_artifacts_sized_delete after delete on job_artifacts
    referencing old table as gone for each statement execute function job_artifacts_sized_delete()`,
];

/** The artifact size of each project, maintained by triggers, and the wiki size, measured on change. */
export const sizesOfProjects: Migration = {
  name: '1063-sizes-of-projects',
  up: ({ engine }) => [
    'alter table projects add column wiki_size bigint not null default 0',
    'create index projects_wiki_size on projects (visibility, wiki_size, id)',
    `create table ${kept} (
      project_id bigint primary key references projects (id) on delete cascade,
      total bigint not null
    )`,
    `insert into ${kept} (project_id, total)
      select project_id, sum(size) from job_artifacts group by project_id`,
    ...(engine === 'sqlite' ? sqlite : postgres),
  ],
};
