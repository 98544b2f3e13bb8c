import {
  type ApplicationSetting,
  choiceListSetting,
  flag,
  integerSetting,
  integerSettingOrNull,
  text,
} from './setting.ts';

const mebibyte = 1024 * 1024;

/** Who besides administrators may register and create runners. */
export const runnerRegistrars = ['project', 'group'] as const;

const lifetime = (kind: string): ApplicationSetting<number | null> =>
  integerSettingOrNull(
    null,
    `Lifetime of new ${kind} runner tokens, in seconds; null for unlimited.`,
    [7200, 2_147_483_647],
  );

export const ci = {
  default_ci_config_path: text('Default path of the CI/CD configuration.', (path) =>
    path !== null && path.length > 255 ? 'is too long (maximum is 255 characters)' : undefined,
  ),
  default_artifacts_expire_in: text(
    'Default expiry of artifacts; 0 for never. Unless set, the startup setting.',
    undefined,
    '30 days',
  ),
  archive_builds_in_human_readable: text(
    'Age after which jobs and pipelines can no longer be run or retried, such as `3 months`; null for never.',
  ),
  protected_ci_variables: flag(true, 'New variables are protected by default in the browser.'),
  keep_latest_artifact: flag(true, 'Projects may keep the latest artifacts of each ref indefinitely.'),
  max_artifacts_size: integerSetting(
    (config) => Math.ceil(config.maxArtifact / mebibyte),
    'Maximum size of an artifact in MiB, unless a group or project allows more.',
    [1, 1_000_000],
  ),
  max_terraform_state_size_bytes: integerSetting(0, 'Maximum size of a Terraform state, in bytes; 0 for unlimited.'),
  max_pages_size: integerSetting(
    100,
    'Maximum unpacked size of a Pages site, in MiB; 0 for unlimited.',
    [0, 1_000_000],
  ),
  pages_domain_verification_enabled: flag(true, 'Custom domains of sites must be verified by a DNS record.'),
  pages_unique_domain_default_enabled: flag(true, 'Sites use unique domains by default.'),
  container_registry_token_expire_delay: integerSetting(
    5,
    'Lifetime of container registry tokens, in minutes.',
    [1, 1440],
  ),
  npm_package_requests_forwarding: flag(true, 'Redirect npm to registry.npmjs.org for missing packages.'),
  pypi_package_requests_forwarding: flag(true, 'Redirect pip to pypi.org for missing packages.'),
  helm_max_packages_count: integerSetting(
    1000,
    "Maximum number of charts in a channel's index, newest first.",
    [1, 100_000],
  ),
  shared_runners_enabled: flag(true, 'Enable instance runners for new projects.'),
  allow_runner_registration_token: flag(
    true,
    'Allow runner registration with the registration tokens of projects and groups.',
  ),
  enforce_ci_inbound_job_token_scope_enabled: flag(
    false,
    'Projects only accept job tokens of projects and groups in their allowlist, even if they allow all projects.',
  ),
  valid_runner_registrars: choiceListSetting(
    runnerRegistrars,
    'Where non-administrators may register and create runners.',
    runnerRegistrars,
  ),
  runner_token_expiration_interval: lifetime('instance'),
  group_runner_token_expiration_interval: lifetime('group'),
  project_runner_token_expiration_interval: lifetime('project'),
  max_yaml_size_bytes: integerSetting(2_097_152, 'Maximum size of a CI/CD configuration file; never more than 2 MiB.', [
    1,
    Number.MAX_SAFE_INTEGER,
  ]),
  ci_max_total_yaml_size_bytes: integerSetting(
    314_572_800,
    'Maximum size of a CI/CD configuration with all its includes; never more than 16 MiB.',
    [1, Number.MAX_SAFE_INTEGER],
  ),
  ci_max_includes: integerSetting(150, 'Maximum number of includes of a CI/CD configuration.', [0, 1000]),
  shared_runners_minutes: integerSetting(
    0,
    'Compute minutes per month on instance runners for each top-level group or user; 0 for unlimited.',
  ),
  pipeline_limit_per_project_user_sha: integerSetting(0, 'Pipelines per minute, user and commit; 0 for unlimited.'),
  downstream_pipeline_trigger_limit_per_project_user_sha: integerSetting(
    0,
    'Downstream pipelines per minute, user and commit; 0 for unlimited.',
  ),
};
