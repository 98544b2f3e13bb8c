import type { Migration } from '../platform/database/migrator.ts';

/** Boards of projects and groups, with their lists. */
export const boards: Migration = {
  name: '0050-boards',
  up: ({ id }) => [
    `create table boards (
      id ${id},
      project_id bigint references projects (id) on delete cascade,
      namespace_id bigint references namespaces (id) on delete cascade,
      name text not null,
      hide_backlog_list integer not null default 0,
      hide_closed_list integer not null default 0,
      milestone_id bigint references milestones (id) on delete set null,
      assignee_id bigint references users (id) on delete set null,
      weight integer,
      created_at bigint not null,
      updated_at bigint not null,
      check ((namespace_id is null) <> (project_id is null))
    )`,
    'create index boards_project on boards (project_id, id)',
    'create index boards_namespace on boards (namespace_id, id)',
    'create index boards_milestone on boards (milestone_id) where milestone_id is not null',
    'create index boards_assignee on boards (assignee_id) where assignee_id is not null',

    `create table board_labels (
      board_id bigint not null references boards (id) on delete cascade,
      label_id bigint not null references labels (id) on delete cascade,
      primary key (board_id, label_id)
    )`,
    'create index board_labels_label on board_labels (label_id)',

    `create table board_lists (
      id ${id},
      board_id bigint not null references boards (id) on delete cascade,
      label_id bigint references labels (id) on delete cascade,
      milestone_id bigint references milestones (id) on delete cascade,
      assignee_id bigint references users (id) on delete cascade,
      position integer not null,
      max_issue_count integer not null default 0,
      max_issue_weight integer not null default 0,
      limit_metric text,
      created_at bigint not null,
      updated_at bigint not null
    )`,
    'create index board_lists_board on board_lists (board_id, position, id)',
    'create unique index board_lists_label on board_lists (board_id, label_id) where label_id is not null',
    'create index board_lists_labels on board_lists (label_id) where label_id is not null',
    'create index board_lists_milestone on board_lists (milestone_id) where milestone_id is not null',
    'create index board_lists_assignee on board_lists (assignee_id) where assignee_id is not null',
  ],
};
