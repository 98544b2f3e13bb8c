import type { MergeRequestRow, MergeStatus } from '../tables.ts';

/** Everything that decides whether a merge request can be merged now. */
export interface MergeFacts {
  readonly stored: MergeStatus;
  readonly state: MergeRequestRow['state'];
  /** A reviewer wants something changed first. */
  readonly changesRequested: boolean;
  readonly approved: boolean;
  /** Another merge request has to be merged first. */
  readonly blocked: boolean;
  /** It names no issue of Jira, and has to. */
  readonly issueMissing: boolean;
  /** A program elsewhere that has a say has not passed it. */
  readonly checksOpen: boolean;
  /** Not to be merged before a moment that is still to come. */
  readonly tooEarly: boolean;
  readonly draft: boolean;
  /** The source adds nothing to the target, or one of the branches is missing. */
  readonly nothingToMerge: boolean;
  readonly openThreads: boolean;
  readonly titleRefused: boolean;
  readonly lockedFiles: boolean;
  readonly conflict: boolean;
  /** The project takes nothing but what is on top of the target, and this is not. */
  readonly needsRebase: boolean;
  /** How the pipeline stands, where it has a say. */
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

/** What is not known yet. */
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

/** The one word for whether a merge request can be merged: the first check that fails says it. */
export function detailedMergeStatus(facts: MergeFacts): DetailedMergeStatus {
  const all = [...pending, ...reviewChecks, ...stateChecks, ...branchChecks, ...pipelineChecks];
  return firstOf(all, facts) ?? 'mergeable';
}

/** What keeps it from being merged whatever the branches hold: a merge is then not allowed, rather than impossible. */
export function stateRefusal(facts: MergeFacts): DetailedMergeStatus | undefined {
  return firstOf([...reviewChecks, ...stateChecks, ...pipelineChecks], facts);
}

/** What an automatic merge cannot wait for, since it does not change by itself. */
export function cannotWait(facts: MergeFacts): boolean {
  if (facts.state !== 'opened' || facts.nothingToMerge) return true;
  return firstOf([...pending, ...branchChecks], facts) !== undefined;
}

/** The older, coarser word. */
export function shownMergeStatus(stored: MergeStatus): string {
  return stored === 'preparing' || stored === 'cannot_be_merged_rechecking' ? 'checking' : stored;
}

/** What becomes of what was known, once a branch has moved. */
export function invalidated(stored: MergeStatus): MergeStatus {
  if (stored === 'preparing' || stored === 'can_be_merged' || stored === 'checking') return 'unchecked';
  if (stored === 'cannot_be_merged' || stored === 'cannot_be_merged_rechecking') return 'cannot_be_merged_recheck';
  return stored;
}
