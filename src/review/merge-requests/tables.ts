import type { Generated, Selectable } from 'kysely';

export type MergeRequestStatus = 'opened' | 'closed' | 'locked' | 'merged';

/** Stored result of the mergeability check; see mergeability/status.ts. */
export type MergeStatus =
  | 'preparing'
  | 'unchecked'
  | 'checking'
  | 'can_be_merged'
  | 'cannot_be_merged'
  | 'cannot_be_merged_recheck'
  | 'cannot_be_merged_rechecking';

export interface MergeRequestsTable {
  id: Generated<number>;
  iid: number;
  /** The target project, which the IID belongs to. */
  project_id: number;
  /** Null once the fork is deleted. */
  source_project_id: number | null;
  source_branch: string;
  target_branch: string;
  title: string;
  description: string | null;
  /** Derived from the title, for lists. */
  draft: Generated<number>;
  state: Generated<MergeRequestStatus>;
  merge_status: Generated<MergeStatus>;
  /** Error of the last merge or rebase. */
  merge_error: Generated<string | null>;
  author_id: number;
  /** The user who merged it or enabled auto-merge. */
  merge_user_id: Generated<number | null>;
  merged_at: Generated<number | null>;
  closed_by_id: Generated<number | null>;
  closed_at: Generated<number | null>;
  updated_by_id: Generated<number | null>;
  last_edited_by_id: Generated<number | null>;
  last_edited_at: Generated<number | null>;
  milestone_id: Generated<number | null>;
  milestone_due_date: Generated<string | null>;
  label_priority: Generated<number | null>;
  discussion_locked: Generated<number | null>;
  /** 1: auto-merge is enabled, for merging or for adding to the merge train; 2: on the merge train. */
  auto_merge: Generated<number>;
  /** Options of auto-merge, as JSON. */
  merge_params: Generated<string | null>;
  merge_after: Generated<number | null>;
  should_remove_source_branch: Generated<number | null>;
  force_remove_source_branch: Generated<number | null>;
  squash: Generated<number>;
  allow_collaboration: Generated<number>;
  /** Commits of the newest version. */
  head_sha: Generated<string | null>;
  base_sha: Generated<string | null>;
  start_sha: Generated<string | null>;
  /** Displayed number of changed files. */
  changes_count: Generated<string | null>;
  merge_commit_sha: Generated<string | null>;
  squash_commit_sha: Generated<string | null>;
  /** The user who last pushed to the source, recorded as author of the new version. */
  source_pushed_by_id: Generated<number | null>;
  /** Planned result of a merge in progress, as JSON. */
  landing: Generated<string | null>;
  /** The tip that a merge in progress will give the target, used to resolve it after a restart. */
  landed_sha: Generated<string | null>;
  /** The tip of the target that `merge_status` was computed for. */
  checked_target_sha: Generated<string | null>;
  /** Why it cannot be merged: no commits to merge, or a conflict. */
  unmergeable_reason: Generated<'commits' | 'conflict' | null>;
  /** Whether the target has commits that the source does not have. */
  behind_target: Generated<number>;
  /** The newest pipeline of the head. */
  head_pipeline_id: Generated<number | null>;
  /** Whether its refs have been deleted after it was closed or merged. */
  refs_cleaned: Generated<number>;
  prepared_at: Generated<number | null>;
  rebase_started_at: Generated<number | null>;
  /** The head created by a rebase, until it has been processed. */
  rebased_sha: Generated<string | null>;
  /** Minimum number of approvals, in addition to the project's requirement. */
  approvals_before_merge: Generated<number | null>;
  /**
   * A new version is due although the source has not moved, because the target was changed or the merge request
   * reopened.
   */
  version_due: Generated<number>;
  /** Whether it has any of these, for filters; maintained by triggers. */
  has_labels: Generated<number>;
  has_assignees: Generated<number>;
  has_reviewers: Generated<number>;
  has_approvals: Generated<number>;
  /** When its first and last deployment finished; maintained by triggers. */
  first_deployed_at: Generated<number | null>;
  last_deployed_at: Generated<number | null>;
  /** In seconds. */
  time_estimate: Generated<number>;
  total_time_spent: Generated<number>;
  user_notes_count: Generated<number>;
  upvotes: Generated<number>;
  downvotes: Generated<number>;
  imported_from: Generated<string>;
  created_at: number;
  updated_at: number;
}

/** Columns copied from the merge request for lists; maintained by triggers. */
interface OnRequest {
  merge_request_id: number;
  project_id: Generated<number | null>;
  request_state: Generated<MergeRequestsTable['state']>;
}

export interface MergeRequestAssigneesTable extends OnRequest {
  user_id: number;
}

export const reviewStates = [
  'unreviewed',
  'reviewed',
  'requested_changes',
  'approved',
  'unapproved',
  'review_started',
] as const;
export type ReviewState = (typeof reviewStates)[number];

export interface MergeRequestReviewersTable extends OnRequest {
  user_id: number;
  state: Generated<ReviewState>;
  created_at: number;
}

export interface MergeRequestLabelsTable extends OnRequest {
  label_id: number;
}

export interface MergeRequestApprovalsTable extends OnRequest {
  user_id: number;
  created_at: number;
}

export interface MergeRequestVersionsTable {
  id: Generated<number>;
  merge_request_id: number;
  head_sha: string;
  base_sha: string;
  start_sha: string;
  state: 'collected' | 'empty' | 'overflow' | 'without_files';
  real_size: string;
  patch_id_sha: string | null;
  commits_count: number;
  created_at: number;
}

/** Commits of the newest version, for finding merge requests by commit. */
export interface MergeRequestCommitsTable {
  merge_request_id: number;
  sha: string;
}

/** Issues that the merge request closes. */
export interface MergeRequestClosedIssuesTable {
  merge_request_id: number;
  issue_id: number;
}

export type MergeRequestRow = Selectable<MergeRequestsTable>;
export type VersionRow = Selectable<MergeRequestVersionsTable>;
export type ApprovalRow = Selectable<MergeRequestApprovalsTable>;
export type ReviewerRow = Selectable<MergeRequestReviewersTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    merge_requests: MergeRequestsTable;
    merge_request_assignees: MergeRequestAssigneesTable;
    merge_request_reviewers: MergeRequestReviewersTable;
    merge_request_labels: MergeRequestLabelsTable;
    merge_request_approvals: MergeRequestApprovalsTable;
    merge_request_versions: MergeRequestVersionsTable;
    merge_request_commits: MergeRequestCommitsTable;
    merge_request_closed_issues: MergeRequestClosedIssuesTable;
  }
}
