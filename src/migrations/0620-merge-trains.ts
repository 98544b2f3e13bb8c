import type { Migration } from '../platform/database/migrator.ts';

/** Merged results pipelines and merge trains. */
export const mergeTrains: Migration = {
  name: '0620-merge-trains',
  up: ({ id, text }) => [
    'alter table pipelines add column source_sha text',
    'alter table pipelines add column target_sha text',

    `create table merge_train_cars (
      id ${id},
      project_id bigint not null references projects (id) on delete cascade,
      target_branch ${text} not null,
      merge_request_id bigint not null references merge_requests (id) on delete cascade,
      user_id bigint references users (id) on delete set null,
      status text not null default 'idle',
      head_sha text not null,
      base_sha text,
      train_sha text,
      prepared text,
      overtaken_sha text,
      pipeline_id bigint references pipelines (id) on delete set null,
      created_at bigint not null,
      updated_at bigint not null,
      merged_at bigint
    )`,
    `create unique index merge_train_cars_riding on merge_train_cars (merge_request_id) where merged_at is null`,
    'create index merge_train_cars_request on merge_train_cars (merge_request_id)',
    `create index merge_train_cars_active on merge_train_cars (project_id, target_branch, id) where merged_at is null`,
    'create index merge_train_cars_project on merge_train_cars (project_id, id)',
    'create index merge_train_cars_branch on merge_train_cars (project_id, target_branch, id)',
    'create index merge_train_cars_user on merge_train_cars (user_id)',
    'create index merge_train_cars_pipeline on merge_train_cars (pipeline_id) where pipeline_id is not null',
  ],
};
