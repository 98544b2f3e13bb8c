import Type from 'typebox';
import { BasicUser } from '../../../people/users/public.ts';
import { lengthProblem } from '../../../platform/http/parameters/too-long.ts';
import { param } from '../../../platform/http/params.ts';
import { day, nullable, timestamp } from '../../../platform/http/schema.ts';
import { userRegexProblem } from '../../../platform/user-regex.ts';
import {
  choice,
  computed,
  type FieldRule,
  flag,
  inRange,
  level,
  maxLength,
  number,
  optionalComputed,
  publicLevel,
  text,
  words,
} from './field-kinds.ts';
import { idTokenSubjects, subjectClaim } from './id-token-subject.ts';

const daySeconds = 24 * 60 * 60;
const yearSeconds = 366 * daySeconds;

function configPathProblem(path: string | null): string | undefined {
  if (path === null) return undefined;
  const leaves = path.startsWith('/') || path.split('/').includes('..');
  return lengthProblem(path, 255) ?? (leaves ? 'cannot include leading slash or directory traversal.' : undefined);
}

function titleRegexProblem(source: string | null): string | undefined {
  return lengthProblem(source ?? '', 255) ?? userRegexProblem(source ?? '');
}

const maintainer = { seenBy: 'maintainer', sent: 'update' } as const;
const shownToMaintainers = { seenBy: 'maintainer' } as const;

// Everything after the first optional field is optional: the serializer would write required ones before it.
const Links = Type.Object({
  self: Type.String(),
  issues: Type.Optional(Type.String()),
  merge_requests: Type.Optional(Type.String()),
  repo_branches: Type.Optional(Type.String()),
  labels: Type.Optional(Type.String()),
  events: Type.Optional(Type.String()),
  members: Type.Optional(Type.String()),
  cluster_agents: Type.Optional(Type.String()),
});

const ExpirationPolicy = Type.Object({
  cadence: Type.String(),
  enabled: Type.Boolean(),
  keep_n: nullable(Type.Integer()),
  older_than: nullable(Type.String()),
  name_regex: nullable(Type.String()),
  name_regex_keep: nullable(Type.String()),
  next_run_at: nullable(timestamp()),
});

const SharedWithGroup = Type.Object({
  group_id: Type.Integer(),
  group_name: Type.String(),
  group_full_path: Type.String(),
  group_access_level: Type.Integer(),
  expires_at: nullable(day()),
  member_role_id: Type.Optional(Type.Integer()),
});

const Statistics = Type.Object(
  Object.fromEntries(
    [
      'commit_count',
      'storage_size',
      'repository_size',
      'wiki_size',
      'lfs_objects_size',
      'job_artifacts_size',
      'pipeline_artifacts_size',
      'packages_size',
      'snippets_size',
      'uploads_size',
      'container_registry_size',
    ].map((name) => [name, Type.Integer()]),
  ),
);

const expirationPolicy = param.hash({
  cadence: param.string(),
  keep_n: param.integer(),
  older_than: param.string(),
  name_regex: param.string(),
  name_regex_keep: param.string(),
  enabled: param.boolean(),
});

const expirationChoices: Readonly<Record<string, readonly unknown[]>> = {
  cadence: ['1d', '7d', '14d', '1month', '3month'],
  keep_n: [1, 5, 10, 25, 50, 100],
  older_than: ['7d', '14d', '30d', '60d', '90d'],
};

function expirationProblem(name: string, value: unknown): string | undefined {
  const choices = expirationChoices[name];
  if (choices) return value == null || choices.includes(value) ? undefined : 'is not included in the list';
  return name.startsWith('name_regex') && typeof value === 'string' ? userRegexProblem(value) : undefined;
}

/** Choices of a cleanup policy must be among those that exist, and its regular expressions valid. */
function expirationProblems(policy: Readonly<Record<string, unknown>>): Record<string, string[]> {
  const problems = Object.entries(policy).flatMap(([name, value]) => {
    const problem = expirationProblem(name, value);
    return problem === undefined ? [] : [[`container_expiration_policy.${name}`, [problem]]];
  });
  return Object.fromEntries(problems);
}

/**
 * Fields that the full view adds to the anonymous one, in order: computed fields and all settings. The parameters of
 * create and update, the stored settings and the entity schema are all derived from this table.
 */
export const fields = {
  container_registry_image_prefix: optionalComputed(Type.String()),
  _links: computed(Links),
  marked_for_deletion_at: computed(nullable(day())),
  marked_for_deletion_on: computed(nullable(day())),
  packages_enabled: computed(Type.Boolean()),
  empty_repo: computed(Type.Boolean()),
  archived: computed(Type.Boolean()),
  owner: optionalComputed(BasicUser),
  resolve_outdated_diff_discussions: flag(false),
  container_expiration_policy: computed(ExpirationPolicy),
  container_expiration_policy_attributes: {
    schema: Type.Null(),
    param: expirationPolicy,
    fallback: {},
    problem: expirationProblems,
    seenBy: 'all',
    changedBy: 'maintainer',
    sent: 'both',
    hidden: true,
  },
  repository_object_format: choice(['sha1', 'sha256'], 'sha1', { sent: 'create' }),
  issues_enabled: computed(Type.Boolean()),
  merge_requests_enabled: computed(Type.Boolean()),
  wiki_enabled: computed(Type.Boolean()),
  jobs_enabled: computed(Type.Boolean()),
  snippets_enabled: computed(Type.Boolean()),
  container_registry_enabled: computed(Type.Boolean()),
  service_desk_enabled: flag(false),
  service_desk_address: optionalComputed(nullable(Type.String())),
  can_create_merge_request_in: computed(Type.Boolean()),
  issues_access_level: level('enabled', { column: 'issues_access' }),
  repository_access_level: level('enabled', { column: 'repository_access' }),
  merge_requests_access_level: level('enabled', { column: 'merge_requests_access' }),
  forking_access_level: level(),
  wiki_access_level: level(),
  builds_access_level: level(),
  snippets_access_level: level(),
  // Derived from the project's visibility until set: see the presenter.
  pages_access_level: publicLevel(),
  analytics_access_level: level(),
  container_registry_access_level: level(),
  security_and_compliance_access_level: level('private'),
  releases_access_level: level(),
  environments_access_level: level(),
  feature_flags_access_level: level(),
  infrastructure_access_level: level(),
  monitor_access_level: level(),
  model_experiments_access_level: level(),
  model_registry_access_level: level(),
  package_registry_access_level: publicLevel('enabled'),
  emails_disabled: computed(Type.Boolean()),
  emails_enabled: flag(true),
  show_default_award_emojis: flag(true, { hidden: true }),
  show_diff_preview_in_email: flag(true),
  shared_runners_enabled: flag(true),
  lfs_enabled: flag(true),
  creator_id: computed(nullable(Type.Integer())),
  mr_default_target_self: { ...flag(false), schema: Type.Optional(Type.Boolean()) },
  import_url: optionalComputed(nullable(Type.String())),
  import_type: optionalComputed(nullable(Type.String())),
  import_status: computed(Type.String()),
  import_error: optionalComputed(nullable(Type.String())),
  open_issues_count: optionalComputed(Type.Integer()),
  description_html: computed(Type.String()),
  updated_at: computed(timestamp()),
  ci_default_git_depth: number(20, { ...maintainer, ...inRange(0, 1000) }),
  ci_delete_pipelines_in_seconds: number(null, {
    ...maintainer,
    ...inRange(daySeconds, yearSeconds),
    changedBy: 'owner',
  }),
  ci_forward_deployment_enabled: flag(true, maintainer),
  ci_forward_deployment_rollback_allowed: flag(true, maintainer),
  ci_job_token_scope_enabled: flag(false, { seenBy: 'maintainer', sent: 'never' }),
  ci_separated_caches: flag(true, maintainer),
  ci_allow_fork_pipelines_to_run_in_parent_project: flag(true, maintainer),
  ci_id_token_sub_claim_components: words(idTokenSubjects, { ...maintainer, ...subjectClaim }),
  build_git_strategy: choice(['fetch', 'clone'], 'fetch', shownToMaintainers),
  keep_latest_artifact: flag(true, maintainer),
  restrict_user_defined_variables: flag(false, maintainer),
  ci_pipeline_variables_minimum_override_role: choice(
    ['no_one_allowed', 'developer', 'maintainer', 'owner'],
    'developer',
    maintainer,
  ),
  runner_token_expiration_interval: number(null, { seenBy: 'maintainer', sent: 'never' }),
  group_runners_enabled: flag(true, shownToMaintainers),
  resource_group_default_process_mode: choice(
    ['unordered', 'oldest_first', 'newest_first', 'newest_ready_first'],
    'unordered',
    shownToMaintainers,
  ),
  auto_cancel_pending_pipelines: choice(['disabled', 'enabled'], 'enabled', shownToMaintainers),
  build_timeout: number(3600, {
    ...shownToMaintainers,
    ...inRange(600, 2_629_746, 'needs to be between 10 minutes and 1 month'),
  }),
  auto_devops_enabled: flag(false, shownToMaintainers),
  auto_devops_deploy_strategy: choice(['continuous', 'manual', 'timed_incremental'], 'continuous', shownToMaintainers),
  ci_push_repository_for_job_token_allowed: flag(false, maintainer),
  runners_token: optionalComputed(nullable(Type.String())),
  ci_config_path: text({ seenBy: 'code', problem: configPathProblem }),
  public_jobs: flag(true),
  shared_with_groups: computed(Type.Array(SharedWithGroup)),
  only_allow_merge_if_pipeline_succeeds: flag(false),
  allow_merge_on_skipped_pipeline: flag(false),
  request_access_enabled: flag(true),
  only_allow_merge_if_all_discussions_are_resolved: flag(false),
  remove_source_branch_after_merge: flag(true),
  printing_merge_request_link_enabled: flag(true),
  merge_method: choice(['ff', 'rebase_merge', 'merge'], 'merge'),
  merge_request_title_regex: text({ problem: titleRegexProblem }),
  merge_request_title_regex_description: text(maxLength(255)),
  squash_option: choice(['never', 'always', 'default_on', 'default_off'], 'default_off'),
  enforce_auth_checks_on_uploads: flag(true),
  suggestion_commit_message: text(maxLength(255)),
  merge_commit_template: text(maxLength(500)),
  squash_commit_template: text(maxLength(500)),
  issue_branch_template: text(maxLength(255)),
  statistics: optionalComputed(Statistics),
  warn_about_potentially_unwanted_characters: flag(true),
  autoclose_referenced_issues: flag(true),
  max_artifacts_size: number(null, {
    sent: 'update',
    changedBy: 'admin',
    ...inRange(1, 1_000_000, 'must be greater than 0'),
  }),
  repository_size_limit: number(null, { ...maintainer, changedBy: 'admin', ...inRange(0, 2_147_483_647) }),
  approvals_before_merge: number(0, inRange(0, 100)),
  mirror: flag(false),
  mirror_user_id: number(null, { sent: 'update' }),
  mirror_trigger_builds: flag(false),
  only_mirror_protected_branches: flag(false, { sent: 'update' }),
  mirror_branch_regex: text({ sent: 'update', hidden: true }),
  mirror_overwrites_diverged_branches: flag(false, { sent: 'update' }),
  external_authorization_classification_label: text(),
  requirements_enabled: computed(Type.Boolean()),
  requirements_access_level: level(),
  security_and_compliance_enabled: computed(Type.Boolean()),
  secret_push_protection_enabled: flag(false, { seenBy: 'developer', sent: 'never' }),
  pre_receive_secret_detection_enabled: optionalComputed(Type.Boolean()),
  compliance_frameworks: computed(Type.Array(Type.String())),
  issues_template: text({ sent: 'update' }),
  merge_requests_template: text({ seenBy: 'code', sent: 'update' }),
  ci_restrict_pipeline_cancellation_role: choice(['developer', 'maintainer', 'no_one'], 'developer', maintainer),
  merge_pipelines_enabled: flag(false, { sent: 'update' }),
  merge_trains_enabled: flag(false, { sent: 'update' }),
  merge_trains_skip_train_allowed: flag(false, { sent: 'update' }),
  only_allow_merge_if_all_status_checks_passed: flag(false),
  allow_pipeline_trigger_approve_deployment: flag(false, { sent: 'update' }),
  prevent_merge_without_jira_issue: flag(false),
  fallback_approvals_required: number(null, { sent: 'update', hidden: true, ...inRange(0, 100) }),
  auto_duo_code_review_enabled: flag(false),
  duo_remote_flows_enabled: flag(false),
  duo_foundational_flows_enabled: flag(false, { sent: 'never' }),
  duo_sast_fp_detection_enabled: flag(false),
  duo_sast_vr_workflow_enabled: flag(false),
  web_based_commit_signing_enabled: flag(false, maintainer),
  spp_repository_pipeline_access: flag(false),
} satisfies Record<string, FieldRule>;

export type FieldName = keyof typeof fields;
/** Every field and setting by name. */
export const fieldRules: Readonly<Record<string, FieldRule>> = fields;
