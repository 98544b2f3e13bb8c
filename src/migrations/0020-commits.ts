import type { Migration } from '../platform/database/migrator.ts';

/** Commit comments, and commit statuses, which belong to pipelines. */
export const commits: Migration = {
  name: '0020-commits',
  up: ({ id, text }) => [
    `create table commit_comments (
      id ${id},
      project_id bigint not null references projects (id) on delete cascade,
      sha text not null,
      author_id bigint not null references users (id) on delete cascade,
      note text not null,
      path text,
      line bigint,
      line_type text,
      created_at bigint not null
    )`,
    'create index commit_comments_sha on commit_comments (project_id, sha, id)',
    'create index commit_comments_author on commit_comments (author_id)',

    `create table pipelines (
      id ${id},
      project_id bigint not null references projects (id) on delete cascade,
      iid bigint not null,
      sha text not null,
      ref ${text} not null,
      source text not null,
      status text not null,
      user_id bigint references users (id) on delete set null,
      created_at bigint not null,
      updated_at bigint not null,
      started_at bigint,
      finished_at bigint
    )`,
    'create unique index pipelines_iid on pipelines (project_id, iid)',
    'create index pipelines_sha on pipelines (project_id, sha, id)',
    'create index pipelines_user on pipelines (user_id)',

    `create table commit_statuses (
      id ${id},
      project_id bigint not null references projects (id) on delete cascade,
      pipeline_id bigint not null references pipelines (id) on delete cascade,
      sha text not null,
      ref ${text} not null,
      stage text not null,
      name ${text} not null,
      status text not null,
      target_url text,
      description text,
      coverage double precision,
      user_id bigint references users (id) on delete set null,
      allow_failure integer not null default 0,
      retried integer not null default 0,
      created_at bigint not null,
      started_at bigint,
      finished_at bigint
    )`,
    'create index commit_statuses_sha on commit_statuses (project_id, sha, id)',
    'create index commit_statuses_pipeline on commit_statuses (pipeline_id, name, id)',
    'create index commit_statuses_user on commit_statuses (user_id)',
  ],
};
