import { type ApplicationSetting, flag, text, whole, wholeOrNull, words } from './setting.ts';

const mebibyte = 1024 * 1024;

/** Who besides administrators may register and make runners. */
export const runnerRegistrars = ['project', 'group'] as const;

const lifetime = (kind: string): ApplicationSetting<number | null> =>
  wholeOrNull(
    null,
    `Seconds for which the token of a new ${kind} runner is good; null for good.`,
    [7200, 2_147_483_647],
  );

export const ci = {
  default_ci_config_path: text('Where new projects have the configuration of their pipelines.', (path) =>
    path !== null && path.length > 255 ? 'is too long (maximum is 255 characters)' : undefined,
  ),
  default_artifacts_expire_in: text(
    'How long artifacts are kept that do not say; 0 for good. Unless it is set, as long as the server was told.',
    undefined,
    '30 days',
  ),
  archive_builds_in_human_readable: text(
    'For how long jobs and pipelines are played and retried after they were made, such as `3 months`; null for good.',
  ),
  protected_ci_variables: flag(
    true,
    'The page for a new variable offers it for protected branches and tags alone; the API does where it is told.',
  ),
  keep_latest_artifact: flag(true, 'Projects may keep the artifacts of the latest pipeline of each ref for good.'),
  max_artifacts_size: whole(
    (config) => Math.ceil(config.maxArtifact / mebibyte),
    'Largest artifact of a job in MiB, unless a group or project says more.',
    [1, 1_000_000],
  ),
  max_terraform_state_size_bytes: whole(0, 'Largest Terraform state, in bytes; 0 for any size.'),
  max_pages_size: whole(100, 'Largest site of a project in MiB, unpacked; 0 for any size.', [0, 1_000_000]),
  pages_domain_verification_enabled: flag(true, 'A domain is served for a site once a DNS record shows whose it is.'),
  pages_unique_domain_default_enabled: flag(
    true,
    'The site of a project has a host of its own, unless the project says otherwise.',
  ),
  container_registry_token_expire_delay: whole(
    5,
    'Minutes for which a token of the container registry is good.',
    [1, 1440],
  ),
  npm_package_requests_forwarding: flag(true, 'npm is sent to registry.npmjs.org for packages that are not here.'),
  pypi_package_requests_forwarding: flag(true, 'pip is sent to pypi.org for packages that are not here.'),
  helm_max_packages_count: whole(
    1000,
    'Most charts in the index of a channel; those that were published last are listed.',
    [1, 100_000],
  ),
  shared_runners_enabled: flag(true, 'New projects use the runners of the instance.'),
  allow_runner_registration_token: flag(true, 'Runners register themselves with the token of a project or group.'),
  valid_runner_registrars: words(
    runnerRegistrars,
    'Where others than administrators register and make runners.',
    runnerRegistrars,
  ),
  runner_token_expiration_interval: lifetime('instance'),
  group_runner_token_expiration_interval: lifetime('group'),
  project_runner_token_expiration_interval: lifetime('project'),
  max_yaml_size_bytes: whole(
    2_097_152,
    'Largest file of a configuration of pipelines; 2 MiB whatever is set above that.',
    [1, Number.MAX_SAFE_INTEGER],
  ),
  ci_max_total_yaml_size_bytes: whole(
    314_572_800,
    'Bytes of a configuration of pipelines with all that it includes; 16 MiB whatever is set above that.',
    [1, Number.MAX_SAFE_INTEGER],
  ),
  ci_max_includes: whole(150, 'Files that a configuration of pipelines may include.', [0, 1000]),
  shared_runners_minutes: whole(
    0,
    'Minutes a month that the jobs of a group, or of a user, may be on runners of the instance; 0 for any number.',
  ),
  pipeline_limit_per_project_user_sha: whole(
    0,
    'Pipelines that one user starts for one commit of a project in a minute; 0 for any number.',
  ),
  downstream_pipeline_trigger_limit_per_project_user_sha: whole(
    0,
    'Pipelines that the jobs of one user start for one commit of a project in a minute; 0 for any number.',
  ),
};
