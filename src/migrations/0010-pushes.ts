import type { Migration } from '../platform/database/migrator.ts';

/** Pushes, and the events for them and for all other user actions. */
export const pushes: Migration = {
  name: '0010-pushes',
  up: ({ id, text }) => [
    `create table pushes (
      id ${id},
      project_id bigint not null references projects (id) on delete cascade,
      user_id bigint references users (id) on delete set null,
      deploy_key_id bigint,
      protocol text not null,
      state text not null,
      changes text not null,
      push_options text not null default '[]',
      created_at bigint not null
    )`,
    "create index pushes_pending on pushes (created_at, id) where state = 'pending'",
    'create index pushes_project on pushes (project_id, id)',
    'create index pushes_created on pushes (created_at)',

    `create table events (
      id ${id},
      project_id bigint references projects (id) on delete cascade,
      namespace_id bigint references namespaces (id) on delete cascade,
      author_id bigint references users (id) on delete cascade,
      action text not null,
      audience text not null,
      target_type text,
      target_id bigint,
      target_iid bigint,
      target_title text,
      imported_from text not null default 'none',
      push_action text,
      ref_type text,
      ref ${text},
      ref_count bigint,
      commit_count bigint,
      commit_from text,
      commit_to text,
      commit_title text,
      created_at bigint not null
    )`,
    'create index events_project on events (project_id, created_at, id)',
    'create index events_author on events (author_id, created_at, id)',
    'create index events_target on events (target_type, target_id) where target_id is not null',
  ],
};
