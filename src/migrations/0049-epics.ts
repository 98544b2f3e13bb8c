import type { Migration } from '../platform/database/migrator.ts';

/** Epics of groups, with their labels and issues. */
export const epics: Migration = {
  name: '0049-epics',
  up: (dialect) => [
    `create table epics (
      id ${dialect.id},
      iid bigint not null,
      namespace_id bigint not null references namespaces (id) on delete cascade,
      parent_id bigint references epics (id) on delete set null,
      relative_position bigint,
      title ${dialect.text} not null,
      description text,
      state text not null default 'opened',
      confidential integer not null default 0,
      color text not null,
      author_id bigint not null references users (id),
      closed_by_id bigint references users (id),
      closed_at bigint,
      start_date_fixed text,
      start_date_is_fixed integer not null default 0,
      due_date_fixed text,
      due_date_is_fixed integer not null default 0,
      upvotes bigint not null default 0,
      downvotes bigint not null default 0,
      imported_from text not null default 'none',
      created_at bigint not null,
      updated_at bigint not null
    )`,
    'create unique index epics_iid on epics (namespace_id, iid)',
    'create index epics_created on epics (namespace_id, created_at, id)',
    'create index epics_updated on epics (namespace_id, updated_at, id)',
    'create index epics_title on epics (namespace_id, lower(title), id)',
    'create index epics_parent on epics (parent_id, relative_position, id) where parent_id is not null',
    'create index epics_author on epics (author_id)',
    'create index epics_closed_by on epics (closed_by_id) where closed_by_id is not null',
    ...dialect.search({ table: 'epics', columns: ['title', 'description'] }),

    `create table epic_labels (
      epic_id bigint not null references epics (id) on delete cascade,
      label_id bigint not null references labels (id) on delete cascade,
      primary key (epic_id, label_id)
    )`,
    'create index epic_labels_label on epic_labels (label_id, epic_id)',

    `create table epic_issues (
      id ${dialect.id},
      epic_id bigint not null references epics (id) on delete cascade,
      issue_id bigint not null references issues (id) on delete cascade,
      relative_position bigint not null
    )`,
    'create unique index epic_issues_issue on epic_issues (issue_id)',
    'create index epic_issues_position on epic_issues (epic_id, relative_position, id)',
  ],
};
