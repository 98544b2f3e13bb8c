import type { Migration } from '../platform/database/migrator.ts';

// Every item belongs to a project or, like epics, to a group, and is deleted with it.
const owner = `
  project_id bigint references projects (id) on delete cascade,
  namespace_id bigint references namespaces (id) on delete cascade`;

/**
 * Shared by issues, merge requests, epics and snippets: milestones, notes, reactions, to-do items and resource events.
 */
export const planning: Migration = {
  name: '0040-planning',
  up: ({ id, text }) => [
    `create table internal_ids (
      ${owner},
      kind text not null,
      last_value bigint not null
    )`,
    'create unique index internal_ids_project on internal_ids (project_id, kind) where project_id is not null',
    'create unique index internal_ids_namespace on internal_ids (namespace_id, kind) where namespace_id is not null',

    `create table milestones (
      id ${id},
      iid bigint not null,
      ${owner},
      title ${text} not null,
      description text,
      state text not null default 'active',
      start_date text,
      due_date text,
      created_at bigint not null,
      updated_at bigint not null,
      check ((namespace_id is null) <> (project_id is null))
    )`,
    'create unique index milestones_project on milestones (project_id, iid) where project_id is not null',
    'create unique index milestones_namespace on milestones (namespace_id, iid) where namespace_id is not null',
    'create unique index milestones_project_title on milestones (project_id, title) where project_id is not null',
    'create unique index milestones_namespace_title on milestones (namespace_id, title) where namespace_id is not null',
    'create index milestones_project_due on milestones (project_id, due_date, id)',
    'create index milestones_namespace_due on milestones (namespace_id, due_date, id)',

    `create table notes (
      id ${id},
      noteable_type text not null,
      noteable_id bigint,
      commit_id text,
      ${owner},
      type text,
      discussion_id text not null,
      author_id bigint not null references users (id),
      body text not null,
      system integer not null default 0,
      internal integer not null default 0,
      position text,
      original_position text,
      line_code text,
      resolved_at bigint,
      resolved_by_id bigint references users (id),
      updated_by_id bigint references users (id),
      imported_from text not null default 'none',
      created_at bigint not null,
      updated_at bigint not null
    )`,
    'create index notes_noteable on notes (noteable_type, noteable_id, id)',
    'create index notes_noteable_updated on notes (noteable_type, noteable_id, updated_at, id)',
    'create index notes_commit on notes (project_id, commit_id, id) where commit_id is not null',
    'create index notes_discussion on notes (discussion_id, id)',
    'create index notes_project on notes (project_id, id)',
    'create index notes_namespace on notes (namespace_id)',
    'create index notes_author on notes (author_id)',
    'create index notes_resolved_by on notes (resolved_by_id) where resolved_by_id is not null',
    'create index notes_updated_by on notes (updated_by_id) where updated_by_id is not null',

    `create table award_emoji (
      id ${id},
      name text not null,
      user_id bigint not null references users (id) on delete cascade,
      awardable_type text not null,
      awardable_id bigint not null,
      ${owner},
      created_at bigint not null,
      updated_at bigint not null
    )`,
    'create unique index award_emoji_once on award_emoji (awardable_type, awardable_id, user_id, name)',
    'create index award_emoji_user on award_emoji (user_id, awardable_type, name, awardable_id)',
    'create index award_emoji_project on award_emoji (project_id)',
    'create index award_emoji_namespace on award_emoji (namespace_id)',

    `create table subscriptions (
      user_id bigint not null references users (id) on delete cascade,
      target_type text not null,
      target_id bigint not null,
      ${owner},
      subscribed integer not null,
      primary key (user_id, target_type, target_id)
    )`,
    'create index subscriptions_target on subscriptions (target_type, target_id)',
    'create index subscriptions_project on subscriptions (project_id)',
    'create index subscriptions_namespace on subscriptions (namespace_id)',

    `create table todos (
      id ${id},
      user_id bigint not null references users (id) on delete cascade,
      author_id bigint not null references users (id),
      ${owner},
      target_type text not null,
      target_id bigint,
      commit_id text,
      note_id bigint references notes (id) on delete cascade,
      action text not null,
      state text not null default 'pending',
      created_at bigint not null,
      updated_at bigint not null
    )`,
    'create index todos_user on todos (user_id, state, id)',
    'create index todos_target on todos (target_type, target_id, user_id)',
    'create index todos_author on todos (author_id)',
    'create index todos_note on todos (note_id) where note_id is not null',
    'create index todos_project on todos (project_id)',
    'create index todos_namespace on todos (namespace_id)',

    `create table timelogs (
      id ${id},
      target_type text not null,
      target_id bigint not null,
      project_id bigint not null references projects (id) on delete cascade,
      user_id bigint not null references users (id),
      seconds bigint not null,
      summary text,
      spent_at bigint not null,
      created_at bigint not null
    )`,
    'create index timelogs_target on timelogs (target_type, target_id, id)',
    'create index timelogs_user on timelogs (user_id)',
    'create index timelogs_project on timelogs (project_id)',

    ...['label', 'state', 'milestone', 'weight'].flatMap((kind) => [
      `create table resource_${kind}_events (
        id ${id},
        target_type text not null,
        target_id bigint not null,
        ${owner},
        user_id bigint not null references users (id),
        ${eventColumns[kind]},
        created_at bigint not null
      )`,
      `create index resource_${kind}_events_target on resource_${kind}_events (target_type, target_id, id)`,
      `create index resource_${kind}_events_user on resource_${kind}_events (user_id)`,
      `create index resource_${kind}_events_project on resource_${kind}_events (project_id)`,
      `create index resource_${kind}_events_namespace on resource_${kind}_events (namespace_id)`,
    ]),
    'create index resource_label_events_label on resource_label_events (label_id)',
    'create index resource_milestone_events_milestone on resource_milestone_events (milestone_id)',
  ],
};

const eventColumns: Readonly<Record<string, string>> = {
  label: 'label_id bigint references labels (id) on delete set null, action text not null',
  state: 'state text not null, source_commit text, source_merge_request_id bigint',
  milestone: `milestone_id bigint references milestones (id) on delete set null, action text not null,
    state text not null`,
  weight: 'weight integer',
};
