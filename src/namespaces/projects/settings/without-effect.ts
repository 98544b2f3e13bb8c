import type { FieldName } from './fields.ts';

/** Project settings that are stored and returned but have no effect yet, by the reason. */
export const projectSettingsWithoutEffect: Readonly<Record<string, readonly FieldName[]>> = {
  'Emails contain no diffs': ['show_diff_preview_in_email'],
  'There is no service desk: issues by email need an account': ['service_desk_enabled'],
  'The web pages ignore it so far': ['warn_about_potentially_unwanted_characters', 'show_default_award_emojis'],
  'The operator decides for all projects whether the server signs its commits': ['web_based_commit_signing_enabled'],
  'There are no requirements besides issues': ['requirements_access_level'],
  'There is no Auto DevOps: a project without a configuration has no pipelines': [
    'auto_devops_enabled',
    'auto_devops_deploy_strategy',
  ],
  'It is shown to clients and cannot be set': ['ci_job_token_scope_enabled', 'runner_token_expiration_interval'],
  'There are no models or scans': [
    'model_experiments_access_level',
    'model_registry_access_level',
    'security_and_compliance_access_level',
    'spp_repository_pipeline_access',
    'external_authorization_classification_label',
  ],
  'There are no AI features': [
    'auto_duo_code_review_enabled',
    'duo_remote_flows_enabled',
    'duo_foundational_flows_enabled',
    'duo_sast_fp_detection_enabled',
    'duo_sast_vr_workflow_enabled',
  ],
};
