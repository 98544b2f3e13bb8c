import type { Migration } from '../platform/database/migrator.ts';

const orders = {
  created: 'created_at, id',
  updated: 'updated_at, id',
  merged: 'merged_at, id',
  title: 'lower(title), id',
  popularity: 'upvotes, id',
  milestone_due: 'milestone_due_date, id',
  label_priority: 'label_priority, id',
} as const;

/** Merge requests with their assignees, reviewers, labels, versions and approvals. */
export const mergeRequests: Migration = {
  name: '0090-merge-requests',
  up: (dialect) => {
    const { id, text } = dialect;
    return [
      `create table merge_requests (
        id ${id},
        iid bigint not null,
        project_id bigint not null references projects (id) on delete cascade,
        source_project_id bigint references projects (id) on delete set null,
        source_branch text not null,
        target_branch text not null,
        title ${text} not null,
        description text,
        draft integer not null default 0,
        state text not null default 'opened',
        merge_status text not null default 'unchecked',
        merge_error text,
        author_id bigint not null references users (id),
        merge_user_id bigint references users (id),
        merged_at bigint,
        closed_by_id bigint references users (id),
        closed_at bigint,
        updated_by_id bigint references users (id),
        last_edited_by_id bigint references users (id),
        last_edited_at bigint,
        milestone_id bigint references milestones (id) on delete set null,
        milestone_due_date text,
        label_priority integer,
        discussion_locked integer,
        auto_merge integer not null default 0,
        merge_params text,
        merge_after bigint,
        should_remove_source_branch integer,
        force_remove_source_branch integer,
        squash integer not null default 0,
        allow_collaboration integer not null default 0,
        head_sha text,
        base_sha text,
        start_sha text,
        changes_count text,
        merge_commit_sha text,
        squash_commit_sha text,
        landed_sha text,
        checked_target_sha text,
        unmergeable_reason text,
        behind_target integer not null default 0,
        head_pipeline_id bigint references pipelines (id) on delete set null,
        prepared_at bigint,
        rebase_started_at bigint,
        time_estimate bigint not null default 0,
        total_time_spent bigint not null default 0,
        user_notes_count bigint not null default 0,
        upvotes bigint not null default 0,
        downvotes bigint not null default 0,
        imported_from text not null default 'none',
        created_at bigint not null,
        updated_at bigint not null
      )`,
      'create unique index merge_requests_iid on merge_requests (project_id, iid)',
      `create unique index merge_requests_open on merge_requests
        (source_project_id, source_branch, project_id, target_branch) where state in ('opened', 'locked')`,
      ...Object.entries(orders).map(
        ([name, columns]) => `create index merge_requests_project_${name} on merge_requests (project_id, ${columns})`,
      ),
      'create index merge_requests_created on merge_requests (created_at, id)',
      'create index merge_requests_updated on merge_requests (updated_at, id)',
      'create index merge_requests_project_state on merge_requests (project_id, state, created_at, id)',
      'create index merge_requests_project_state_updated on merge_requests (project_id, state, updated_at, id)',
      'create index merge_requests_author on merge_requests (author_id, created_at, id)',
      'create index merge_requests_source on merge_requests (source_project_id, source_branch, id)',
      'create index merge_requests_target on merge_requests (project_id, target_branch, state, id)',
      'create index merge_requests_milestone on merge_requests (milestone_id, id) where milestone_id is not null',
      'create index merge_requests_merge_user on merge_requests (merge_user_id) where merge_user_id is not null',
      'create index merge_requests_closed_by on merge_requests (closed_by_id) where closed_by_id is not null',
      'create index merge_requests_updated_by on merge_requests (updated_by_id) where updated_by_id is not null',
      `create index merge_requests_last_edited_by on merge_requests (last_edited_by_id)
        where last_edited_by_id is not null`,
      `create index merge_requests_head_pipeline on merge_requests (head_pipeline_id)
        where head_pipeline_id is not null`,
      'create index merge_requests_merge_commit on merge_requests (project_id, merge_commit_sha)',

      `create table merge_request_assignees (
        merge_request_id bigint not null references merge_requests (id) on delete cascade,
        user_id bigint not null references users (id) on delete cascade,
        primary key (merge_request_id, user_id)
      )`,
      'create index merge_request_assignees_user on merge_request_assignees (user_id, merge_request_id)',

      `create table merge_request_reviewers (
        merge_request_id bigint not null references merge_requests (id) on delete cascade,
        user_id bigint not null references users (id) on delete cascade,
        state text not null default 'unreviewed',
        created_at bigint not null,
        primary key (merge_request_id, user_id)
      )`,
      'create index merge_request_reviewers_user on merge_request_reviewers (user_id, merge_request_id)',

      `create table merge_request_labels (
        merge_request_id bigint not null references merge_requests (id) on delete cascade,
        label_id bigint not null references labels (id) on delete cascade,
        primary key (merge_request_id, label_id)
      )`,
      'create index merge_request_labels_label on merge_request_labels (label_id, merge_request_id)',

      `create table merge_request_approvals (
        merge_request_id bigint not null references merge_requests (id) on delete cascade,
        user_id bigint not null references users (id) on delete cascade,
        created_at bigint not null,
        primary key (merge_request_id, user_id)
      )`,
      'create index merge_request_approvals_user on merge_request_approvals (user_id, merge_request_id)',

      `create table merge_request_versions (
        id ${id},
        merge_request_id bigint not null references merge_requests (id) on delete cascade,
        head_sha text not null,
        base_sha text not null,
        start_sha text not null,
        state text not null,
        real_size text not null,
        patch_id_sha text,
        commits_count bigint not null,
        created_at bigint not null
      )`,
      'create index merge_request_versions_of on merge_request_versions (merge_request_id, id)',

      `create table merge_request_commits (
        merge_request_id bigint not null references merge_requests (id) on delete cascade,
        sha text not null,
        primary key (merge_request_id, sha)
      )`,
      'create index merge_request_commits_sha on merge_request_commits (sha, merge_request_id)',

      `create table merge_request_closed_issues (
        merge_request_id bigint not null references merge_requests (id) on delete cascade,
        issue_id bigint not null references issues (id) on delete cascade,
        primary key (merge_request_id, issue_id)
      )`,
      'create index merge_request_closed_issues_issue on merge_request_closed_issues (issue_id, merge_request_id)',
      ...dialect.search({ table: 'merge_requests', columns: ['title', 'description'] }),
    ];
  },
};
