import type { GroupSettings } from './values.ts';

/** The settings of a group that are kept and shown and change nothing yet, by what is missing for them. */
export const groupSettingsWithoutEffect: Readonly<Record<string, readonly (keyof GroupSettings)[]>> = {
  'Mail shows no diffs': ['show_diff_preview_in_email'],
  'Nobody signs in through another service': ['step_up_auth_required_oauth_provider'],
  'The pages do not heed it yet': [
    'math_rendering_limits_enabled',
    'lock_math_rendering_limits_enabled',
    'web_based_commit_signing_enabled',
  ],
  'Nobody asks for it yet': ['allow_personal_snippets'],
  'There is no Auto DevOps: a project without a configuration has no pipelines': ['auto_devops_enabled'],
  'There are no assistants': [
    'experiment_features_enabled',
    'ai_availability',
    'ai_features_enabled',
    'lock_ai_features_enabled',
  ],
};
