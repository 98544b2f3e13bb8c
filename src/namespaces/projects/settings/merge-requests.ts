/** The settings of merge requests, which a custom role may manage without any other. */
const mergeRequestSettings: ReadonlySet<string> = new Set([
  'allow_merge_on_skipped_pipeline',
  'approvals_before_merge',
  'fallback_approvals_required',
  'merge_commit_template',
  'merge_method',
  'merge_pipelines_enabled',
  'merge_request_title_regex',
  'merge_request_title_regex_description',
  'merge_requests_template',
  'merge_trains_enabled',
  'merge_trains_skip_train_allowed',
  'mr_default_target_self',
  'only_allow_merge_if_all_discussions_are_resolved',
  'only_allow_merge_if_all_status_checks_passed',
  'only_allow_merge_if_pipeline_succeeds',
  'prevent_merge_without_jira_issue',
  'printing_merge_request_link_enabled',
  'remove_source_branch_after_merge',
  'resolve_outdated_diff_discussions',
  'squash_commit_template',
  'squash_option',
  'suggestion_commit_message',
]);

/** Whether a request changes nothing but settings of merge requests. */
export function changesOnlyMergeRequests({ id: _, ...sent }: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(sent).every(([name, value]) => value === undefined || mergeRequestSettings.has(name));
}
