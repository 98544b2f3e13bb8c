import type { StoredSettings } from '../../access/stored-settings.ts';

/** Merge settings of a project, including those enforced by ancestor groups. */
export interface MergeSettings {
  readonly method: 'merge' | 'rebase_merge' | 'ff';
  readonly squash: 'never' | 'always' | 'default_on' | 'default_off';
  readonly pipelineMustSucceed: boolean;
  readonly skippedPipelineWillDo: boolean;
  readonly threadsMustBeResolved: boolean;
  /** Whether external status checks must pass. */
  readonly checksMustPass: boolean;
  /** Whether a Jira issue must be referenced. */
  readonly issueOfJira: boolean;
  readonly titlePattern: string | null;
  /** Number of required approvals. */
  readonly approvalsRequired: number;
  /** Number of required approvals if there are no approval rules. */
  readonly fallbackApprovals: number;
  readonly mergeTemplate: string | null;
  readonly squashTemplate: string | null;
  /** Whether pipelines run on the merge result. */
  readonly mergedResults: boolean;
  /** Whether merge trains are enabled. */
  readonly trains: boolean;
  /** Whether merging past the train leaves its pipelines running. */
  readonly trainsMayBeSkipped: boolean;
}

const oneOf = <W extends string>(value: unknown, words: readonly W[], fallback: W): W =>
  words.find((word) => word === value) ?? fallback;
const numberOf = (value: unknown) => (typeof value === 'number' ? value : 0);
const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);

/** The effective settings: requirements of a group apply to all of its projects. */
export function mergeSettings(own: StoredSettings, above: readonly StoredSettings[] = []): MergeSettings {
  const demanded = (name: string) => [own, ...above].some((settings) => settings[name] === true);
  return {
    method: oneOf(own.merge_method, ['ff', 'rebase_merge', 'merge'], 'merge'),
    squash: oneOf(own.squash_option, ['never', 'always', 'default_on', 'default_off'], 'default_off'),
    pipelineMustSucceed: demanded('only_allow_merge_if_pipeline_succeeds'),
    skippedPipelineWillDo: demanded('allow_merge_on_skipped_pipeline'),
    threadsMustBeResolved: demanded('only_allow_merge_if_all_discussions_are_resolved'),
    checksMustPass: demanded('only_allow_merge_if_all_status_checks_passed'),
    issueOfJira: own.prevent_merge_without_jira_issue === true,
    titlePattern: textOf(own.merge_request_title_regex),
    approvalsRequired: numberOf(own.approvals_before_merge),
    fallbackApprovals: numberOf(own.fallback_approvals_required),
    mergeTemplate: textOf(own.merge_commit_template),
    squashTemplate: textOf(own.squash_commit_template),
    mergedResults: own.merge_pipelines_enabled === true,
    trains: own.merge_pipelines_enabled === true && own.merge_trains_enabled === true,
    trainsMayBeSkipped: own.merge_trains_skip_train_allowed === true,
  };
}

/** Whether a merge squashes, considering the project's setting. */
export function squashes(settings: Pick<MergeSettings, 'squash'>, request: { readonly squash: number }): boolean {
  if (settings.squash === 'never') return false;
  return settings.squash === 'always' || request.squash === 1;
}
