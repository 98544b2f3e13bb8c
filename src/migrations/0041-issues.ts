import type { Migration } from '../platform/database/migrator.ts';

const orders = {
  created: 'created_at, id',
  updated: 'updated_at, id',
  title: 'lower(title), id',
  due: 'due_date, id',
  weight: 'weight, id',
  popularity: 'upvotes, id',
  position: 'relative_position, id',
  milestone_due: 'milestone_due_date, id',
  label_priority: 'label_priority, id',
} as const;

/** Issues with their assignees, labels and links. */
export const issues: Migration = {
  name: '0041-issues',
  up: ({ id, text }) => [
    `create table issues (
      id ${id},
      iid bigint not null,
      project_id bigint not null references projects (id) on delete cascade,
      title ${text} not null,
      description text,
      state text not null default 'opened',
      issue_type text not null default 'issue',
      confidential integer not null default 0,
      discussion_locked integer,
      author_id bigint not null references users (id),
      closed_by_id bigint references users (id),
      closed_at bigint,
      updated_by_id bigint references users (id),
      last_edited_by_id bigint references users (id),
      last_edited_at bigint,
      milestone_id bigint references milestones (id) on delete set null,
      milestone_due_date text,
      label_priority integer,
      start_date text,
      due_date text,
      weight integer,
      health_status text,
      severity text not null default 'unknown',
      epic_id bigint,
      iteration_id bigint,
      relative_position bigint,
      moved_to_id bigint,
      duplicated_to_id bigint,
      time_estimate bigint not null default 0,
      total_time_spent bigint not null default 0,
      user_notes_count bigint not null default 0,
      upvotes bigint not null default 0,
      downvotes bigint not null default 0,
      blocking_issues_count bigint not null default 0,
      imported_from text not null default 'none',
      created_at bigint not null,
      updated_at bigint not null
    )`,
    'create unique index issues_iid on issues (project_id, iid)',
    ...Object.entries(orders).map(
      ([name, columns]) => `create index issues_project_${name} on issues (project_id, ${columns})`,
    ),
    'create index issues_created on issues (created_at, id)',
    'create index issues_updated on issues (updated_at, id)',
    'create index issues_project_state on issues (project_id, state, created_at, id)',
    'create index issues_project_state_updated on issues (project_id, state, updated_at, id)',
    'create index issues_author on issues (author_id, created_at, id)',
    'create index issues_milestone on issues (milestone_id, id) where milestone_id is not null',
    'create index issues_epic on issues (epic_id, relative_position, id) where epic_id is not null',
    'create index issues_iteration on issues (iteration_id, id) where iteration_id is not null',
    'create index issues_closed_by on issues (closed_by_id) where closed_by_id is not null',
    'create index issues_updated_by on issues (updated_by_id) where updated_by_id is not null',
    'create index issues_last_edited_by on issues (last_edited_by_id) where last_edited_by_id is not null',
    'create index issues_moved_to on issues (moved_to_id) where moved_to_id is not null',
    'create index issues_duplicated_to on issues (duplicated_to_id) where duplicated_to_id is not null',

    `create table issue_assignees (
      issue_id bigint not null references issues (id) on delete cascade,
      user_id bigint not null references users (id) on delete cascade,
      primary key (issue_id, user_id)
    )`,
    'create index issue_assignees_user on issue_assignees (user_id, issue_id)',

    `create table issue_labels (
      issue_id bigint not null references issues (id) on delete cascade,
      label_id bigint not null references labels (id) on delete cascade,
      primary key (issue_id, label_id)
    )`,
    'create index issue_labels_label on issue_labels (label_id, issue_id)',

    `create table issue_links (
      id ${id},
      source_id bigint not null references issues (id) on delete cascade,
      target_id bigint not null references issues (id) on delete cascade,
      link_type text not null,
      created_at bigint not null,
      updated_at bigint not null
    )`,
    'create unique index issue_links_once on issue_links (source_id, target_id)',
    'create index issue_links_target on issue_links (target_id, source_id)',
  ],
};
