/** Failure reasons of jobs, in protocol order. `retry:when` accepts these and `always`. */
export const failureReasons = [
  'unknown_failure script_failure api_failure stuck_or_timeout_failure runner_system_failure missing_dependency_failure',
  'runner_unsupported stale_schedule job_execution_timeout archived_failure unmet_prerequisites scheduler_failure',
  'data_integrity_failure forward_deployment_failure user_blocked project_deleted ci_quota_exceeded',
  'pipeline_loop_detected no_matching_runner trace_size_exceeded builds_disabled environment_creation_failure',
  'deployment_rejected failed_outdated_deployment_job job_execution_server_timeout protected_environment_failure',
  'insufficient_bridge_permissions downstream_bridge_project_not_found invalid_bridge_trigger',
  'upstream_bridge_project_not_found insufficient_upstream_permissions bridge_pipeline_is_child_pipeline',
  'downstream_pipeline_creation_failed secrets_provider_not_found reached_max_descendant_pipelines_depth',
  'ip_restriction_failure reached_max_pipeline_hierarchy_size reached_downstream_pipeline_trigger_rate_limit',
  'duo_workflow_not_allowed job_router_failure job_token_expired runner_external_dependency_failure',
  'runner_interrupted',
].flatMap((line) => line.split(' '));
