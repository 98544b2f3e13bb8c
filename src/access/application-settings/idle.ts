import {
  type ApplicationSetting,
  decimal,
  decimalText,
  flag,
  integerSetting,
  integerSettingOrNull,
  stringListSetting,
  text,
} from './setting.ts';

type Value = boolean | number | string | null | readonly string[];

/** An unset number. */
const noNumber = Symbol('no number');
/** A decimal number; some are presented as text. */
class Decimal {
  readonly value: number;
  readonly isText: boolean;

  constructor(value: number, isText = false) {
    this.value = value;
    this.isText = isText;
  }
}

function declared(value: Value | Decimal | typeof noNumber, help: string): ApplicationSetting<unknown> {
  if (value === noNumber) return integerSettingOrNull(null, help);
  if (value instanceof Decimal) return (value.isText ? decimalText : decimal)(value.value, help);
  if (typeof value === 'boolean') return flag(value, help);
  if (typeof value === 'number') return integerSetting(value, help);
  if (value === null || typeof value === 'string') return text(help, undefined, value);
  return stringListSetting(help, value);
}

const throttle = (name: string, requests: number, period: number) => ({
  [`throttle_${name}_enabled`]: false,
  [`throttle_${name}_requests_per_period`]: requests,
  [`throttle_${name}_period_in_seconds`]: period,
});

/**
 * GitLab settings that are stored and returned but have no effect, so that provisioning tools find the values they
 * wrote. Grouped by the reason why they have no effect. Secrets of services that do not exist here are not stored.
 */
const byReason: Readonly<Record<string, Readonly<Record<string, Value | Decimal | typeof noNumber>>>> = {
  'Registration is protected by a honeypot field and a rate limit': {
    invisible_captcha_enabled: false,
    recaptcha_enabled: false,
    recaptcha_site_key: null,
    login_recaptcha_protection_enabled: false,
    akismet_enabled: false,
    spam_check_endpoint_enabled: false,
    spam_check_endpoint_url: null,
  },
  'There are no abuse reports': {
    abuse_notification_email: null,
    admin_notification_email: null,
  },
  'The web pages ignore it': {
    help_page_text: null,
    help_page_support_url: null,
    help_page_documentation_base_url: null,
    help_page_hide_commercial_content: false,
    hide_third_party_offers: false,
    default_preferred_language: 'en',
    default_syntax_highlighting_theme: 1,
    default_dark_syntax_highlighting_theme: 2,
    first_day_of_week: 0,
    gravatar_enabled: true,
    admin_mode: false,
    shared_runners_text: null,
    unique_ips_limit_enabled: false,
    unique_ips_limit_per_user: noNumber,
    unique_ips_limit_time_window: noNumber,
    user_show_add_ssh_key_message: true,
    performance_bar_allowed_group_path: null,
    performance_bar_enabled: false,
    polling_interval_multiplier: new Decimal(1, true),
    local_markdown_version: 0,
    suggest_pipeline_enabled: true,
    terminal_max_session_time: 0,
    whats_new_variant: 'all_tiers',
    web_ide_oauth_application_id: noNumber,
    disable_feed_token: false,
    floc_enabled: false,
    autocomplete_users_limit: 300,
    autocomplete_users_unauthenticated_limit: 100,
  },
  'SSH does not require a second factor': {
    git_two_factor_session_expiry: 15,
  },
  'Earlier API versions are not supported': {
    ...throttle('authenticated_deprecated_api', 3600, 3600),
    ...throttle('unauthenticated_deprecated_api', 1800, 3600),
  },
  'It is the former name of another setting': {
    ...throttle('unauthenticated', 3600, 3600),
    allow_local_requests_from_hooks_and_services: false,
    send_user_confirmation_email: false,
  },
  'Maven queries its central repository itself': {
    maven_package_requests_forwarding: true,
    lock_maven_package_requests_forwarding: false,
  },
  'Requests for packages are forwarded for all groups or none, and packages are kept until they are deleted': {
    lock_npm_package_requests_forwarding: false,
    lock_pypi_package_requests_forwarding: false,
    package_registry_allow_anyone_to_pull_option: true,
    package_registry_cleanup_policies_worker_capacity: 2,
  },
  'NuGet metadata is passed on unchanged': {
    nuget_skip_metadata_url_validation: false,
  },
  'Tag cleanup runs one repository at a time and needs neither a cache nor another server': {
    container_registry_cleanup_tags_service_max_list_size: 200,
    container_registry_delete_tags_service_timeout: 250,
    container_registry_expiration_policies_caching: true,
    container_registry_expiration_policies_worker_capacity: 4,
    container_registry_import_max_tags_count: 100,
    container_expiration_policies_enable_historic_entries: false,
  },
  'The dependency proxy is cleaned up one group at a time': {
    dependency_proxy_ttl_group_policy_worker_capacity: 2,
  },
  'Search needs no separate server': {
    elasticsearch_aws: false,
    elasticsearch_aws_region: 'us-east-1',
    elasticsearch_indexed_field_length_limit: 0,
    elasticsearch_indexed_file_size_limit_kb: 1024,
    elasticsearch_indexing: false,
    elasticsearch_requeue_workers: false,
    elasticsearch_limit_indexing: false,
    elasticsearch_max_bulk_concurrency: 10,
    elasticsearch_max_bulk_size_mb: 10,
    elasticsearch_max_code_indexing_concurrency: 30,
    elasticsearch_worker_number_of_shards: 2,
    elasticsearch_retry_on_failure: 0,
    elasticsearch_search: false,
    elasticsearch_pause_indexing: false,
    elasticsearch_replicas: 1,
    elasticsearch_shards: 5,
    elasticsearch_client_request_timeout: 0,
    search_max_shard_size_gb: 50,
    search_max_docs_denominator: 5_000_000,
    search_min_docs_before_rollover: 100_000,
    use_clickhouse_for_analytics: false,
    zoekt_indexing_enabled: false,
    zoekt_search_enabled: false,
    zoekt_indexing_paused: false,
    zoekt_auto_index_root_namespace: false,
  },
  'The service is not connected': {
    asset_proxy_enabled: false,
    asset_proxy_url: null,
    asset_proxy_allowlist: [],
    asset_proxy_whitelist: [],
    diagramsnet_enabled: true,
    diagramsnet_url: 'https://embed.diagrams.net',
    kroki_enabled: false,
    kroki_url: null,
    plantuml_enabled: false,
    plantuml_url: null,
    gitpod_enabled: false,
    gitpod_url: 'https://gitpod.io/',
    sourcegraph_enabled: false,
    sourcegraph_public_only: true,
    sourcegraph_url: null,
    grafana_enabled: false,
    grafana_url: '/-/grafana',
    eks_integration_enabled: false,
    eks_account_id: null,
    eks_access_key_id: null,
    slack_app_enabled: false,
    slack_app_id: null,
    snowplow_enabled: false,
    snowplow_app_id: null,
    snowplow_collector_hostname: null,
    snowplow_cookie_domain: null,
    snowplow_database_collector_hostname: null,
    mailgun_events_enabled: false,
    jira_connect_application_key: null,
    jira_connect_public_key_storage_enabled: false,
    jira_connect_proxy_url: null,
    jira_connect_additional_audience_url: null,
    external_authorization_service_enabled: false,
    external_authorization_service_url: null,
    external_authorization_service_default_label: null,
    external_authorization_service_timeout: new Decimal(0.5),
    external_pipeline_validation_service_timeout: noNumber,
    external_pipeline_validation_service_url: null,
    static_objects_external_storage_url: null,
    prometheus_alert_db_indicators_settings: null,
    metrics_method_call_threshold: 10,
    product_analytics_enabled: false,
    receptive_cluster_agents_enabled: false,
    vscode_extension_marketplace_enabled: false,
    duo_features_enabled: false,
    lock_duo_features_enabled: false,
    usage_ping_enabled: false,
    usage_ping_features_enabled: false,
    include_optional_metrics_in_service_ping: false,
    version_check_enabled: false,
    update_runner_versions_enabled: false,
  },
  'Another mechanism does this here': {
    authorized_keys_enabled: true,
    hashed_storage_enabled: true,
    gitaly_timeout_default: 55,
    gitaly_timeout_fast: 10,
    gitaly_timeout_medium: 30,
    gitlab_shell_operation_limit: 0,
    housekeeping_enabled: true,
    housekeeping_bitmaps_enabled: true,
    housekeeping_full_repack_period: 10,
    housekeeping_gc_period: 10,
    housekeeping_incremental_repack_period: 10,
    housekeeping_optimize_repository_period: 10,
    repository_checks_enabled: false,
    sidekiq_job_limiter_mode: 'compress',
    sidekiq_job_limiter_compression_threshold_bytes: 100_000,
    sidekiq_job_limiter_limit_bytes: 0,
    dns_rebinding_protection_enabled: true,
    ci_job_live_trace_enabled: false,
    max_yaml_depth: 100,
    geo_node_allowed_ips: '0.0.0.0/0, ::/0',
    geo_status_timeout: 10,
    gitlab_dedicated_instance: false,
    gitlab_environment_toolkit_instance: false,
  },
  'Imports and exports have no such limit': {
    bulk_import_concurrent_pipeline_batch_limit: 25,
    concurrent_relation_batch_export_limit: 8,
    concurrent_github_import_jobs_limit: 1000,
    concurrent_bitbucket_import_jobs_limit: 100,
    concurrent_bitbucket_server_import_jobs_limit: 100,
    silent_admin_exports_enabled: false,
  },
  'Emails always name their author in the text and never as the sender': {
    email_author_in_body: false,
  },
  'Certificates are not requested for Pages domains, and artifacts are not shown as pages': {
    enable_artifact_external_redirect_warning_page: true,
    lets_encrypt_notification_email: null,
    lets_encrypt_terms_of_service_accepted: false,
  },
  'There is no Auto DevOps: a project without a configuration has no pipelines': {
    auto_devops_enabled: false,
    auto_devops_domain: null,
  },
  'There are no editions, plans or licences': {
    check_namespace_plan: false,
    enforce_namespace_storage_limit: false,
    automatic_purchased_storage_allocation: false,
    group_owners_can_manage_default_branch_protection: true,
    security_policy_global_group_approvers_enabled: true,
    security_approval_policies_limit: 5,
    scan_execution_policies_action_limit: 10,
    scan_execution_policies_schedule_limit: 0,
    package_metadata_purl_types: [],
    seat_control: '0',
  },
  'AsciiDoc is displayed as source and math as text': {
    asciidoc_max_includes: 32,
    math_rendering_limits_enabled: true,
  },
  'There are no vulnerability scans and no separate dashboard limits': {
    max_number_of_vulnerabilities_per_project: noNumber,
    dashboard_limit_enabled: false,
    dashboard_limit: 0,
  },
  'Private email addresses use the host of the server': {
    commit_email_hostname: null,
  },
};

/** The same settings, each with its reason as help text. */
export const settingsWithoutEffect: Readonly<Record<string, ApplicationSetting<unknown>>> = Object.fromEntries(
  Object.entries(byReason).flatMap(([reason, settings]) =>
    Object.entries(settings).map(([name, value]) => [name, declared(value, `Stored without effect. ${reason}.`)]),
  ),
);
