import type { GroupSettings } from './values.ts';

/** Group settings that are stored and returned but have no effect yet, by the reason. */
export const groupSettingsWithoutEffect: Readonly<Record<string, readonly (keyof GroupSettings)[]>> = {
  'Emails contain no diffs': ['show_diff_preview_in_email'],
  'There is no step-up authentication': ['step_up_auth_required_oauth_provider'],
  'Math is shown as text': ['math_rendering_limits_enabled', 'lock_math_rendering_limits_enabled'],
  'The operator decides for all projects whether the server signs its commits': ['web_based_commit_signing_enabled'],
  'There is no Auto DevOps: a project without a configuration has no pipelines': ['auto_devops_enabled'],
  'There are no AI features': [
    'experiment_features_enabled',
    'ai_availability',
    'ai_features_enabled',
    'lock_ai_features_enabled',
  ],
};
