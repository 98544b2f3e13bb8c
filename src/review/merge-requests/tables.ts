import type { Generated, Selectable } from 'kysely';

export type MergeRequestStatus = 'opened' | 'closed' | 'locked' | 'merged';

/** What is known of whether the branches merge; see mergeability/status.ts. */
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
  /** The project that it goes into, which owns its number. */
  project_id: number;
  /** Null once the fork is gone. */
  source_project_id: number | null;
  source_branch: string;
  target_branch: string;
  title: string;
  description: string | null;
  /** What the title says, kept for the lists. */
  draft: Generated<number>;
  state: Generated<MergeRequestStatus>;
  merge_status: Generated<MergeStatus>;
  /** Why the last merge or rebase failed. */
  merge_error: Generated<string | null>;
  author_id: number;
  /** Who merged it, or set it to be merged later. */
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
  /** 1: to be merged by itself as soon as nothing is in the way, or put on the train; 2: on the train. */
  auto_merge: Generated<number>;
  /** What the one who set that asked for, as JSON. */
  merge_params: Generated<string | null>;
  merge_after: Generated<number | null>;
  should_remove_source_branch: Generated<number | null>;
  force_remove_source_branch: Generated<number | null>;
  squash: Generated<number>;
  allow_collaboration: Generated<number>;
  /** Of the newest version. */
  head_sha: Generated<string | null>;
  base_sha: Generated<string | null>;
  start_sha: Generated<string | null>;
  /** How many files it changes, as it is shown. */
  changes_count: Generated<string | null>;
  merge_commit_sha: Generated<string | null>;
  squash_commit_sha: Generated<string | null>;
  /** Who last pushed to the source; their doing is what the new version says. */
  source_pushed_by_id: Generated<number | null>;
  /** What a merge that is under way leaves when it is done, as JSON. */
  landing: Generated<string | null>;
  /** The tip that a running merge is about to give the target: what a restart looks for. */
  landed_sha: Generated<string | null>;
  /** The tip of the target that `merge_status` was worked out against. */
  checked_target_sha: Generated<string | null>;
  /** Why it cannot be merged, where it cannot: nothing to merge, or both sides changed the same. */
  unmergeable_reason: Generated<'commits' | 'conflict' | null>;
  /** The target has commits that the source has not. */
  behind_target: Generated<number>;
  /** The newest pipeline of the head. */
  head_pipeline_id: Generated<number | null>;
  /** Its refs are gone, since it was over long ago. */
  refs_cleaned: Generated<number>;
  prepared_at: Generated<number | null>;
  rebase_started_at: Generated<number | null>;
  /** The head that a rebase made, until it is taken in. */
  rebased_sha: Generated<string | null>;
  /** How many have to approve it at least, whatever its project says. */
  approvals_before_merge: Generated<number | null>;
  /** A new version is to be made though the source is where it was: it has another target, or is open again. */
  version_due: Generated<number>;
  /** Whether it has any of these, kept by the database for the lists. */
  has_labels: Generated<number>;
  has_assignees: Generated<number>;
  has_reviewers: Generated<number>;
  has_approvals: Generated<number>;
  /** When the first and the last of its deployments ended, kept by the database too. */
  first_deployed_at: Generated<number | null>;
  last_deployed_at: Generated<number | null>;
  /** Seconds. */
  time_estimate: Generated<number>;
  total_time_spent: Generated<number>;
  user_notes_count: Generated<number>;
  upvotes: Generated<number>;
  downvotes: Generated<number>;
  imported_from: Generated<string>;
  created_at: number;
  updated_at: number;
}

/** What the database keeps of a merge request with all that hangs on it, for the lists. */
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

/** The commits of the newest version: by which commits find their merge requests. */
export interface MergeRequestCommitsTable {
  merge_request_id: number;
  sha: string;
}

/** The issues that its texts say it closes. */
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
