import type { MergeRequestRow, MergeStatus } from '../tables.ts';

/** Everything that determines whether a merge request can be merged now. */
export interface MergeFacts {
  readonly stored: MergeStatus;
  readonly state: MergeRequestRow['state'];
  /** A reviewer has requested changes. */
  readonly changesRequested: boolean;
  readonly approved: boolean;
  /** Another merge request has to be merged first. */
  readonly blocked: boolean;
  /** A required Jira issue is not referenced. */
  readonly issueMissing: boolean;
  /** An external status check has not passed. */
  readonly checksOpen: boolean;
  /** The scheduled merge time is still in the future. */
  readonly tooEarly: boolean;
  readonly draft: boolean;
  /** The source has no new commits, or one of the branches is missing. */
  readonly nothingToMerge: boolean;
  readonly openThreads: boolean;
  readonly titleRefused: boolean;
  readonly lockedFiles: boolean;
  readonly conflict: boolean;
  /** The project requires fast-forward merges, and the source is behind the target. */
  readonly needsRebase: boolean;
  /** Status of the pipeline, if it is required. */
  readonly pipeline: 'passed' | 'running' | 'failed';
}

export type DetailedMergeStatus =
  | 'preparing'
  | 'checking'
  | 'unchecked'
  | 'requested_changes'
  | 'not_approved'
  | 'merge_request_blocked'
  | 'jira_association_missing'
  | 'status_checks_must_pass'
  | 'not_open'
  | 'merge_time'
  | 'draft_status'
  | 'commits_status'
  | 'discussions_not_resolved'
  | 'title_regex'
  | 'locked_lfs_files'
  | 'conflict'
  | 'need_rebase'
  | 'ci_still_running'
  | 'ci_must_pass'
  | 'mergeable';

type Check = readonly [value: DetailedMergeStatus, fails: (facts: MergeFacts) => boolean];

/** Statuses while the mergeability check has not completed. */
const pending: readonly Check[] = [
  ['preparing', ({ stored }) => stored === 'preparing'],
  ['checking', ({ stored }) => stored === 'checking' || stored === 'cannot_be_merged_rechecking'],
  ['unchecked', ({ stored }) => stored === 'unchecked'],
];

const reviewChecks: readonly Check[] = [
  ['requested_changes', ({ changesRequested }) => changesRequested],
  ['not_approved', ({ approved }) => !approved],
  ['merge_request_blocked', ({ blocked }) => blocked],
  ['jira_association_missing', ({ issueMissing }) => issueMissing],
  ['status_checks_must_pass', ({ checksOpen }) => checksOpen],
];

const stateChecks: readonly Check[] = [
  ['not_open', ({ state }) => state !== 'opened'],
  ['merge_time', ({ tooEarly }) => tooEarly],
  ['draft_status', ({ draft }) => draft],
  ['commits_status', ({ nothingToMerge }) => nothingToMerge],
  ['discussions_not_resolved', ({ openThreads }) => openThreads],
  ['title_regex', ({ titleRefused }) => titleRefused],
  ['locked_lfs_files', ({ lockedFiles }) => lockedFiles],
];

const branchChecks: readonly Check[] = [
  ['conflict', ({ conflict }) => conflict],
  ['need_rebase', ({ needsRebase }) => needsRebase],
];

const pipelineChecks: readonly Check[] = [
  ['ci_still_running', ({ pipeline }) => pipeline === 'running'],
  ['ci_must_pass', ({ pipeline }) => pipeline === 'failed'],
];

const firstOf = (checks: readonly Check[], facts: MergeFacts) => checks.find(([, fails]) => fails(facts))?.[0];

/** The detailed merge status: that of the first failing check. */
export function detailedMergeStatus(facts: MergeFacts): DetailedMergeStatus {
  const all = [...pending, ...reviewChecks, ...stateChecks, ...branchChecks, ...pipelineChecks];
  return firstOf(all, facts) ?? 'mergeable';
}

/** The first failing check that is independent of the branches; merging is then forbidden rather than impossible. */
export function stateRefusal(facts: MergeFacts): DetailedMergeStatus | undefined {
  return firstOf([...reviewChecks, ...stateChecks, ...pipelineChecks], facts);
}

/** Whether auto-merge cannot be enabled, because the failing check does not resolve itself. */
export function cannotAutoMerge(facts: MergeFacts): boolean {
  if (facts.state !== 'opened' || facts.nothingToMerge) return true;
  return firstOf([...pending, ...branchChecks], facts) !== undefined;
}

/** The deprecated `merge_status`. */
export function shownMergeStatus(stored: MergeStatus): string {
  return stored === 'preparing' || stored === 'cannot_be_merged_rechecking' ? 'checking' : stored;
}

/** The merge status after a branch has moved: the previous result is no longer valid. */
export function invalidated(stored: MergeStatus): MergeStatus {
  if (stored === 'preparing' || stored === 'can_be_merged' || stored === 'checking') return 'unchecked';
  if (stored === 'cannot_be_merged' || stored === 'cannot_be_merged_rechecking') return 'cannot_be_merged_recheck';
  return stored;
}
